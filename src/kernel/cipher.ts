import { createCipheriv, createDecipheriv, createHash, createHmac, createSecretKey, hkdfSync, randomBytes, type KeyObject } from 'node:crypto';

/**
 * Encryption of protected values: AES-256-GCM under a key of the installation's ring, and a keyed blind index for equality.
 * A sealed value is: 1 byte form (1), 4 bytes key id, 12 bytes nonce, ciphertext, 16 bytes tag. `purpose` is authenticated
 * with it, so that a value moved to another column does not open.
 */
export interface Cipher {
  seal(purpose: string, plain: Uint8Array | string): Buffer;
  open(purpose: string, sealed: Uint8Array): Buffer;
  /** A keyed hash that is equal for equal values and tells nothing else. */
  blindIndex(purpose: string, value: string): Buffer;
}

interface RingKey {
  readonly id: Buffer;
  readonly encryption: KeyObject;
}

const FORM = 1;

/**
 * A ring from the key file's text: one base64 or hex key of 32 bytes a line; the first seals, all open. The blind index is
 * derived from the last (oldest) key, so that rotation does not change it until a re-index is run.
 */
export function cipherFromKeys(text: string): Cipher {
  const masters = text.split(/\s+/).filter((line) => line !== '').map(decodeKey);
  const [first] = masters;
  const oldest = masters.at(-1);
  if (!first || !oldest) throw new Error('the secret key is empty: expected 32 random bytes as base64 or hex');
  const ring = masters.map(ringKey);
  const current = ringKey(first);
  const indexKey = derive(oldest, 'blind index');
  return {
    seal(purpose, plain) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', current.encryption, nonce).setAAD(Buffer.from(purpose));
      const body = Buffer.concat([cipher.update(typeof plain === 'string' ? Buffer.from(plain) : plain), cipher.final()]);
      return Buffer.concat([Buffer.from([FORM]), current.id, nonce, body, cipher.getAuthTag()]);
    },
    open(purpose, sealed) {
      const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
      const key = ring.find((k) => k.id.equals(bytes.subarray(1, 5)));
      if (bytes[0] !== FORM || !key) throw new Error('a sealed value cannot be opened: its key is not in the ring');
      const decipher = createDecipheriv('aes-256-gcm', key.encryption, bytes.subarray(5, 17)).setAAD(Buffer.from(purpose));
      decipher.setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(17, -16)), decipher.final()]);
    },
    blindIndex: (purpose, value) => createHmac('sha256', indexKey).update(`${purpose}\n${value}`).digest().subarray(0, 16),
  };
}

/** A new key for the key file. */
export function newKey(): string {
  return randomBytes(32).toString('base64');
}

function decodeKey(line: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(line) ? Buffer.from(line, 'hex') : Buffer.from(line, 'base64');
  if (key.length < 32) throw new Error('a secret key is too short: expected 32 random bytes as base64 or hex');
  return key;
}

function ringKey(master: Buffer): RingKey {
  return { id: createHash('sha256').update('key id').update(master).digest().subarray(0, 4), encryption: derive(master, 'encryption') };
}

/** A key object, because Node makes one of plain bytes on every use: sealing took three times as long. */
function derive(master: Buffer, use: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `casewright ${use}`, 32)));
}
