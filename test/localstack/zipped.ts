import { crc32 } from 'node:zlib';

/** A zip archive of files, stored as they are, which is all that Lambda asks for. */
export function zipped(files: ReadonlyMap<string, Uint8Array>): Buffer {
  const bodies: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [name, bytes] of files) {
    const about = described(name, bytes);
    const body = Buffer.concat([local(about), Buffer.from(name), bytes]);
    bodies.push(body);
    entries.push(Buffer.concat([central(about, offset), Buffer.from(name)]));
    offset += body.length;
  }
  const directory = Buffer.concat(entries);
  return Buffer.concat([...bodies, directory, ending(files.size, directory.length, offset)]);
}

/** What both headers of a file say: version 2.0, names in UTF-8, stored, 1 January 1980, and how much of what. */
function described(name: string, bytes: Uint8Array): Buffer {
  const about = Buffer.alloc(26);
  about.writeUInt16LE(20, 0);
  about.writeUInt16LE(0x0800, 2);
  about.writeUInt16LE(0x21, 8);
  about.writeUInt32LE(crc32(bytes), 10);
  about.writeUInt32LE(bytes.length, 14);
  about.writeUInt32LE(bytes.length, 18);
  about.writeUInt16LE(Buffer.byteLength(name), 22);
  return about;
}

const local = (about: Buffer): Buffer => Buffer.concat([Buffer.from('PK\x03\x04'), about]);

/** Made by a Unix, readable by everybody. */
function central(about: Buffer, offset: number): Buffer {
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(0o100644 * 2 ** 16, 6);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([Buffer.from('PK\x01\x02\x14\x03'), about, rest]);
}

function ending(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(18);
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([Buffer.from('PK\x05\x06'), end]);
}
