/** A message as far as order is concerned. */
export interface Ordered {
  readonly group: string;
}

/** Splits a batch into its message groups, keeping arrival order inside each; groups need not be contiguous. */
export function byGroup<M extends Ordered>(messages: readonly M[]): readonly (readonly M[])[] {
  const groups = new Map<string, M[]>();
  for (const message of messages) {
    const group = groups.get(message.group);
    if (group) group.push(message);
    else groups.set(message.group, [message]);
  }
  return [...groups.values()];
}
