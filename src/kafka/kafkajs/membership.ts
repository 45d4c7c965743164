/** Who this consumer is in its group, and commits in that name. */
import type { Cluster } from 'kafkajs';
import { KafkaFailure, type PartitionOffset } from '../port.js';
import { kafkaFailure } from './failures.js';
import { offsetsByTopic } from './offsets.js';

interface Member {
  readonly id: string;
  readonly generation: number;
}

export class Membership {
  #member: Member | undefined;
  #waits: ((member: Member | undefined) => void)[] = [];

  /** A heartbeat was answered: kafkajs tells the group's generation with it only, a second after joining at most. */
  heard(id: string, generation: number): number {
    // One that was under way while the group was joined again is of an earlier generation.
    if (generation >= (this.#member?.generation ?? 0)) this.#member = { id, generation };
    this.#wake();
    return this.#member?.generation ?? generation;
  }

  /** The group is joined anew, or left: commits that wait fail. */
  lose(): void {
    this.#member = undefined;
    this.#wake();
  }

  /**
   * Not kafkajs's own commit: that one tries again across rebalances, when the partitions may be another's. The brokers
   * turn down what is of an earlier generation. Rejects with KafkaFailure.
   */
  async commit(cluster: Cluster | undefined, groupId: string, offsets: readonly PartitionOffset[]): Promise<void> {
    const doing = `committing offsets of group ${groupId}`;
    try {
      const member = await this.#current();
      const coordinator = await cluster?.findGroupCoordinator({ groupId });
      if (coordinator === undefined || member === undefined || member.generation !== this.#member?.generation) {
        throw new KafkaFailure(`${doing}: the group was rebalanced meanwhile`, false);
      }
      const topics = offsetsByTopic(offsets);
      await coordinator.offsetCommit({ groupId, memberId: member.id, groupGenerationId: member.generation, topics });
    } catch (error) {
      throw kafkaFailure(error, doing);
    }
  }

  async #current(): Promise<Member | undefined> {
    return this.#member ?? new Promise((resolve) => this.#waits.push(resolve));
  }

  #wake(): void {
    for (const wake of this.#waits.splice(0)) wake(this.#member);
  }
}
