/** What keeps this process waiting, by kind: files, sockets, timers. */
const open = (): readonly string[] => process.getActiveResourcesInfo();

/** How many files, sockets and timers keep this process waiting. */
export const openResources = (): number => open().length;

/** Those that are no timers. */
export const openHandles = (): number => open().filter((kind) => kind !== 'Timeout').length;

/** Whether this process waits for the disk or a name right now; such requests end by themselves. */
export const hasRequests = (): boolean => open().some((kind) => kind.includes('Req'));
