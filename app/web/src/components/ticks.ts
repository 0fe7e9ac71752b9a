/** Round numbers from below `low` to above `high`, about `wanted` of them. */
export function niceTicks(low: number, high: number, wanted: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10);
  const result: number[] = [];
  const last = Math.ceil(high / step - 1e-9);
  for (let at = Math.floor(low / step + 1e-9); at <= last; ++at) result.push(Number((at * step).toPrecision(12)));
  return result;
}
