import { describe, expect, it } from '@jest/globals';
import { ListNesting } from '../../src/formats/list-nesting.js';

describe('ListNesting', () => {
  it('comes back from the items of an EventList to what the list stands in', () => {
    const list = new ListNesting();
    list.enterItems();
    list.leaveItems();
    expect(list.kind).toBe('none');
    list.enterArray();
    list.enterItems();
    expect(list.kind).toBe('items');
    list.leaveItems();
    expect(list.kind).toBe('array');
    list.leave();
    expect(list.kind).toBe('none');
  });

  it('forgets damage with the next list', () => {
    const list = new ListNesting();
    list.enterArray();
    list.isHurt = true;
    list.enterItems();
    expect(list.isHurt).toBe(false);
    list.isHurt = true;
    list.enterArray();
    expect(list.isHurt).toBe(false);
  });
});
