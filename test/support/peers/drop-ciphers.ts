/**
 * Makes and drops ciphers of ssh2's native part, and collects them while no JavaScript runs: in a young generation of
 * a megabyte, promises alone fill it. Run by a test in a process of its own, which it must survive; the parameter is
 * the native part's file.
 */
import { createRequire } from 'node:module';

interface Native {
  readonly AESGCMCipher: new (name: string, key: Buffer, iv: Buffer) => object;
  readonly AESGCMDecipher: new (name: string, key: Buffer, iv: Buffer) => object;
}

const { AESGCMCipher, AESGCMDecipher } = createRequire(import.meta.url)(process.argv[2] ?? '') as Native;
const key = Buffer.alloc(32, 1);
const iv = Buffer.alloc(12, 2);
const nothing = async (): Promise<void> => undefined;

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nothing();
}

for (let round = 0; round < 12; round++) {
  for (let made = 0; made < 300; made++) {
    new AESGCMCipher('aes-256-gcm', key, iv);
    new AESGCMDecipher('aes-256-gcm', key, iv);
  }
  await Promise.all(Array.from({ length: 100 }, () => turns(1_500)));
}
