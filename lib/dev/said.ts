/** What somebody threw, for people: an AWS error's name says more than its message. */
export function said(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.name === 'Error' || thrown.name === 'Failure'
    ? thrown.message
    : `${thrown.name}: ${thrown.message}`;
}
