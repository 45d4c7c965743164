import { afterEach, describe, expect, it } from '@jest/globals';
import { watchForBlindSpots } from '../../src/service/blind-spots.js';
import { turn, until } from './engine-kit.js';

let end = () => {};
afterEach(() => end());

function watched(answers: (number | Error)[], sharesWork: boolean) {
  const status = { members: 0, split: false, unnamed: 0 };
  const messages: string[] = [];
  let asked = 0;
  const members = async () => {
    const answer = answers[Math.min(asked, answers.length - 1)] ?? 0;
    asked += 1;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  end = watchForBlindSpots({
    consumer: { members },
    sharesWork,
    status,
    onMessage: (text) => messages.push(text),
    everyMs: 5,
  });
  return { status, messages, asked: () => asked };
}

describe('the members of the group', () => {
  it('are no trouble when there is one, or when the work is shared as it should be', async () => {
    const alone = watched([1], false);
    await until(() => alone.asked() > 2);
    expect([alone.status.members, alone.status.split, alone.messages]).toEqual([1, false, []]);
    end();
    const shared = watched([3], true);
    await until(() => shared.asked() > 2);
    expect([shared.status.members, shared.status.split, shared.messages]).toEqual([3, false, []]);
  });

  it('split what belongs together where each reads its own: that is said, and over when it is over', async () => {
    const { status, messages } = watched([2, 2, 1], false);
    await until(() => messages.length > 0);
    expect(messages[0]).toMatch(/run one replica, or set kafka\.scaleOut/);
    await until(() => status.members === 1);
    expect(status.split).toBe(false);
  });

  it('are looked at together with the senders: too many of those are told once', async () => {
    const { status, messages, asked } = watched([1], false);
    await until(() => asked() > 1);
    expect(messages).toEqual([]);
    status.unnamed = 3;
    const before = asked();
    await until(() => asked() > before + 3);
    expect(messages).toEqual([expect.stringContaining('too many senders to tell them apart')]);
  });

  it('that are not known are asked for again; nothing is said after the end', async () => {
    const { status, messages, asked } = watched([new Error('no coordinator'), 1], false);
    await until(() => status.members === 1);
    expect(messages).toEqual(["the group's members are not known: no coordinator"]);
    end();
    const before = asked();
    await turn(30);
    expect(asked()).toBe(before);
  });
});
