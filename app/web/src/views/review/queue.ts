import type { ReviewEntry, Verdict } from '../../api/types';

export interface Step {
  entry: ReviewEntry;
  /** Undefined where it was skipped. */
  verdict?: Verdict;
}

export interface Queue {
  ahead: ReviewEntry[];
  past: Step[];
  left: number;
}

export const EMPTY: Queue = { ahead: [], past: [], left: 0 };

const keyOf = (entry: ReviewEntry) => `${entry.id}\u0000${entry.tag}`;

/** Takes in what the server has next, without what is here already. */
export function extended(queue: Queue, entries: ReviewEntry[], left: number): Queue {
  const seen = new Set([...queue.ahead, ...queue.past.map((each) => each.entry)].map(keyOf));
  return { ...queue, ahead: [...queue.ahead, ...entries.filter((each) => !seen.has(keyOf(each)))], left };
}

export function answered(queue: Queue, verdict: Verdict | undefined): Queue {
  const [entry, ...ahead] = queue.ahead;
  if (!entry) return queue;
  return {
    ahead, past: [...queue.past, { entry, verdict }],
    left: verdict ? Math.max(0, queue.left - 1) : queue.left,
  };
}

export function undone(queue: Queue): { queue: Queue; step: Step | undefined } {
  const step = queue.past[queue.past.length - 1];
  if (!step) return { queue, step };
  return {
    queue: {
      ahead: [step.entry, ...queue.ahead], past: queue.past.slice(0, -1),
      left: step.verdict ? queue.left + 1 : queue.left,
    },
    step,
  };
}

/** Those that were skipped stay in the server's list, so it is asked beyond them. */
export function offsetOf(queue: Queue): number {
  return queue.ahead.length + queue.past.filter((each) => !each.verdict).length;
}

export function tally(queue: Queue): { accepted: number; rejected: number; skipped: number } {
  const result = { accepted: 0, rejected: 0, skipped: 0 };
  for (const each of queue.past) {
    if (each.verdict === 'accepted') result.accepted += 1;
    else if (each.verdict === 'rejected') result.rejected += 1;
    else result.skipped += 1;
  }
  return result;
}
