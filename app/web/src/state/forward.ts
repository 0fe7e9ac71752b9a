/** Progress that only goes forward, over stages of which nobody knows how many will come. */
export interface Forward {
  stage: string;
  /** What earlier stages took up of the bar. */
  base: number;
  share: number;
}

export const BEGIN: Forward = { stage: '', base: 0, share: 0 };

/** A stage takes up so much of what is left, so that there is always room for one more. */
const OF_THE_REST = 0.8;

export function forwarded(before: Forward, stage: string, share: number): Forward {
  const base = before.stage === '' || before.stage === stage ? before.base : before.share;
  return { stage, base, share: Math.max(before.share, base + (1 - base) * OF_THE_REST * Math.min(1, Math.max(0, share))) };
}
