import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { hasPort, listening, openToOthers } from '../../scripts/emulators/listening.ts';

describe('what an emulator listens on', () => {
  it.each([
    ['every address', '00000000:1F90', true],
    ['an address of the network', '0A01A8C0:1F90', true],
    ['every address in IPv6', '00000000000000000000000000000000:1F90', true],
    ['the loopback', '0100007F:1F90', false],
    ['another address of the loopback', '0200007F:1F90', false],
    ['the loopback in IPv6', '00000000000000000000000001000000:1F90', false],
    ['the IPv4 loopback in IPv6', '0000000000000000FFFF00000100007F:1F90', false],
  ])('is told as open or not: %s', (_, address, isOpen) => {
    expect(openToOthers([address])).toEqual(isOpen ? [address] : []);
  });

  it('is told of a process as the kernel of Linux knows it', async () => {
    const server = createServer();
    await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
    const { port } = server.address() as AddressInfo;

    const addresses = listening(process.pid);
    const has = [hasPort(process.pid, port), hasPort(process.ppid, port)];

    server.close();
    const isTold = process.platform === 'linux';
    expect(has).toEqual([true, !isTold]);
    const here = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    expect(addresses.includes(here)).toBe(isTold);
  });
});
