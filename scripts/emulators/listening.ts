import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Addresses, as the kernel writes them, that only this machine can reach: 127.0.0.0/8, the same in IPv6, and ::1. */
const loopback = [/^[\dA-F]{6}7F$/, /^0{16}FFFF0000[\dA-F]{6}7F$/, /^0{24}01000000$/] as const;

/** The addresses among these that others can reach. */
export const openToOthers = (addresses: readonly string[]): readonly string[] =>
  addresses.filter((one) => !loopback.some((pattern) => pattern.test(one.split(':')[0] ?? '')));

/**
 * The addresses on which a process listens, as the kernel writes them, such as `00000000:1F90`. Only Linux tells: nothing is
 * found elsewhere.
 */
export function listening(pid: number): readonly string[] {
  if (!existsSync(`/proc/${pid}/fd`)) return [];
  const own = socketsOf(pid);
  return ['tcp', 'tcp6']
    .map((name) => `/proc/${pid}/net/${name}`)
    .filter((table) => existsSync(table))
    .flatMap((table) => readFileSync(table, 'utf8').split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode = '']) => state === '0A' && own.has(inode))
    .map(([, local = '']) => local);
}

/** Whether a process listens on a port; where the system doesn't tell, it is believed to. */
export const hasPort = (pid: number, port: number): boolean =>
  !existsSync('/proc/self/fd') ||
  listening(pid).some((address) => Number.parseInt(address.split(':')[1] ?? '', 16) === port);

/** The inodes of the sockets that a process holds. */
function socketsOf(pid: number): ReadonlySet<string> {
  const held = readdirSync(`/proc/${pid}/fd`).map((fd) => targetOf(`/proc/${pid}/fd/${fd}`));
  return new Set(held.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []));
}

/** Files may be closed while we look. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
