import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/emulators/free-port.ts';
import { listening, openToOthers } from '../../scripts/emulators/listening.ts';

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
    const port = await freePort();
    const server = createServer();
    await new Promise<void>((up) => server.listen(port, '127.0.0.1', up));

    const addresses = listening(process.pid);

    server.close();
    const here = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    expect(addresses.includes(here)).toBe(process.platform === 'linux');
  });
});
