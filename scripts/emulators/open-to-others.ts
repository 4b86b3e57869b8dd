import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Addresses, as the kernel writes them, that only this machine can reach: 127.0.0.0/8, the same in IPv6, and ::1. */
const loopback = [/^[\dA-F]{6}7F$/, /^0{16}FFFF0000[\dA-F]{6}7F$/, /^0{24}01000000$/] as const;

/**
 * The sockets of a process that listen elsewhere than on the loopback, as the kernel tells them, such as `00000000:1F90`.
 * Only Linux tells: nothing is found elsewhere.
 */
export function openToOthers(pid: number): readonly string[] {
  if (!existsSync(`/proc/${pid}/fd`)) return [];
  const own = socketsOf(pid);
  return ['tcp', 'tcp6']
    .map((name) => `/proc/${pid}/net/${name}`)
    .filter((table) => existsSync(table))
    .flatMap((table) => openIn(readFileSync(table, 'utf8'), own));
}

/** The same of a table of the kernel's, `/proc/net/tcp` or `tcp6`, among sockets that their inodes name. */
export function openIn(table: string, own: ReadonlySet<string>): readonly string[] {
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode = '']) => state === '0A' && own.has(inode))
    .map(([, local = '']) => local)
    .filter((local) => !loopback.some((pattern) => pattern.test(local.split(':')[0] ?? '')));
}

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
