import { afterEach, describe, expect, it } from '@jest/globals';
import { watchForBlindSpots } from '../../src/service/blind-spots.js';
import { analysis } from '../report/example.js';
import { until } from '../until.js';
import { turn } from './engine-kit.js';

let end = () => {};
afterEach(() => end());

function watched(answers: (number | Error)[], sharesWork: boolean) {
  let inputs: readonly { server: string | null; records: number }[] = [];
  const status = { members: 0, split: false, unnamed: 0, analysis: () => analysisOf(inputs) };
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
  return {
    status,
    messages,
    asked: () => asked,
    shows: (those: typeof inputs) => {
      inputs = those;
    },
  };
}

function analysisOf(inputs: readonly { server: string | null; records: number }[]) {
  const rest = { name: 'audit/0', kind: 'kafka', bytes: 1, problems: {} };
  return analysis({ inputs: inputs.map((input) => ({ ...rest, ...input })) });
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

  it('are looked at together with whose the records are: that nothing names the most of them is told once', async () => {
    const { messages, asked, shows } = watched([1], false);
    const looks = async () => {
      const before = asked();
      await until(() => asked() > before + 2);
    };
    shows([{ server: null, records: 499 }]);
    await looks();
    shows([
      { server: null, records: 5_000 },
      { server: 'cp1', records: 5_000 },
    ]);
    await looks();
    expect(messages).toEqual([]);
    shows([
      { server: null, records: 5_001 },
      { server: 'cp1', records: 5_000 },
    ]);
    await looks();
    expect(messages).toEqual([expect.stringMatching(/nothing tells which kube-apiserver wrote them.*kafka\.server/)]);
    expect(messages[0]).not.toContain('--');
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
