/** How many of some items are right if each is with its own chance, with the bounds that hold 19 times of 20. */
export function expectedRight(chances: number[]): { right: number; low: number; high: number } | undefined {
  if (chances.length === 0 || chances.some((each) => !Number.isFinite(each))) return undefined;
  const sum = chances.reduce((total, each) => total + each, 0);
  const spread = 1.96 * Math.sqrt(chances.reduce((total, each) => total + each * (1 - each), 0));
  return {
    right: Math.round(sum), low: Math.max(0, Math.floor(sum - spread)), high: Math.min(chances.length, Math.ceil(sum + spread)),
  };
}
