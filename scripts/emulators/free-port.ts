import { type AddressInfo, createServer } from 'node:net';

/** A port of the loopback that nobody listens on now; somebody may before it is used. */
export const freePort = (): Promise<number> => listenedOn(0);

/** Whether nobody listens on a port of the loopback. */
export const isFree = (port: number): Promise<boolean> =>
  listenedOn(port).then(
    () => true,
    () => false,
  );

/** Listens for a moment, and answers on which port. */
const listenedOn = (port: number): Promise<number> =>
  new Promise((found, failed) => {
    const server = createServer();
    server.on('error', failed);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address() as AddressInfo;
      server.close(() => found(address.port));
    });
  });
