/** Keeps the heap from growing with the input: V8 enlarges its young generation again and again while a program runs. */
import { setFlagsFromString } from 'node:v8';

/** By then decoding has what it needs, and more would only be filled before it is emptied. */
const WARM_BYTES = 3_000_000;

/** To be told how many bytes were read so far. */
export function steadyHeap(): (bytes: number) => void {
  let steady = false;
  return (bytes) => {
    if (steady || bytes < WARM_BYTES) return;
    steady = true;
    setFlagsFromString('--semi-space-growth-factor=1');
  };
}
