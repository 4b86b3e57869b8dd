/** The middle of `rounds` runs of `act`, in milliseconds; the first run is not counted. */
export async function medianOf(rounds: number, act: () => Promise<unknown>): Promise<number> {
  await act();
  const took: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const since = performance.now();
    await act();
    took.push(performance.now() - since);
  }
  took.sort((a, b) => a - b);
  return took[Math.floor(rounds / 2)] ?? Number.NaN;
}
