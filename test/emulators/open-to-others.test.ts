import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { openIn, openToOthers } from '../../scripts/emulators/open-to-others.ts';

const listening = (address: string, inode: string, state = '0A') =>
  `   0: ${address} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0 100 0 0 10 0`;

describe('what an emulator opens to others', () => {
  it.each([
    ['every address', '00000000:1F90', true],
    ['an address of the network', '0A01A8C0:1F90', true],
    ['every address in IPv6', '00000000000000000000000000000000:1F90', true],
    ['the loopback', '0100007F:1F90', false],
    ['another address of the loopback', '0200007F:1F90', false],
    ['the loopback in IPv6', '00000000000000000000000001000000:1F90', false],
    ['the IPv4 loopback in IPv6', '0000000000000000FFFF00000100007F:1F90', false],
  ])('tells a socket that listens on %s as it is', (_, address, isOpen) => {
    expect(openIn(listening(address, '7'), new Set(['7']))).toEqual(isOpen ? [address] : []);
  });

  it("is nothing of another process's, and no connection", () => {
    const table = [listening('00000000:1F90', '8'), listening('00000000:1F91', '7', '01')];

    expect(openIn(table.join('\n'), new Set(['7']))).toEqual([]);
  });

  it('is nothing for a process that listens on the loopback', async () => {
    const server = createServer();
    await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));

    const open = openToOthers(process.pid);

    server.close();
    expect(open).toEqual([]);
  });
});
