import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { PlatformError } from '../door/errors.ts';

/**
 * Encryption of protected values: AES-256-GCM under a key of the installation's ring, and a keyed blind index for
 * equality. A sealed value is: 1 byte form (1), 4 bytes key id, 12 bytes nonce, ciphertext, 16 bytes tag. `purpose` is
 * authenticated with the value, so that it does not open in another column.
 */
export interface Cipher {
  seal(purpose: string, plain: Uint8Array | string): Buffer;
  open(purpose: string, sealed: Uint8Array): Buffer;
  /** Returns a keyed hash under the sealing key: equal for equal values, it reveals nothing else. */
  blindIndex(purpose: string, value: string): Buffer;
  /**
   * Returns the hash under every key of the ring, the sealing one first: during a rotation a row may have any of them.
   */
  blindIndexes(purpose: string, value: string): readonly Buffer[];
  /**
   * Runs work that seals in pieces which are useful only together, such as writing a file. A key rotation waits for it.
   */
  whileSealing<T>(work: () => Promise<T>): Promise<T>;
}

interface RingKey {
  /** Names the key in sealed values; reveals nothing about it. */
  readonly id: Buffer;
  readonly encryption: KeyObject;
  readonly index: KeyObject;
}

const FORM = 1;
/** Bytes of a key's id. */
export const KEY_ID_BYTES = 4;
/** How long a process still opens values of a key that left the ring: running calls may hold them in memory. */
const RETIRED_OPENS_MILLISECONDS = 3_600_000;

/**
 * The keys of an installation. One seals, all of them open. The ring of a running process can be replaced, so that keys
 * are rotated without downtime.
 */
export class KeyRing implements Cipher {
  private keys: readonly RingKey[];
  private current: RingKey;
  private retiredKeys: readonly { readonly key: RingKey; readonly until: number }[] = [];
  private sealsUntil = Infinity;
  /** Sealing keys of the work in progress, each as of the work's begin. */
  private readonly worksInProgress = new Set<{ readonly key: RingKey }>();

  /**
   * Creates a ring from the key file's text: one base64 or hex key of 32 bytes per line. The first one seals, unless
   * `sealing` is the id of another.
   */
  constructor(text: string, sealing?: Uint8Array) {
    ({ keys: this.keys, current: this.current } = ringOf(text, sealing));
  }

  /** Replaces the keys. Throws, and changes nothing, if the text is not a valid ring. */
  replace(text: string, sealing?: Uint8Array): void {
    const before = this.keys;
    const now = performance.now();
    ({ keys: this.keys, current: this.current } = ringOf(text, sealing));
    const gone = before
      .filter((key) => !this.knows(key.id))
      .map((key) => ({ key, until: now + RETIRED_OPENS_MILLISECONDS }));
    this.retiredKeys = [...this.retiredKeys.filter(({ key, until }) => until > now && !this.knows(key.id)), ...gone];
  }

  /**
   * Refuses to seal after this time (of `performance.now()`). A process without a connection to the store cannot learn
   * that another key seals by now; what it sealed under the old one might be unreadable later.
   */
  sealUntil(milliseconds: number): void {
    this.sealsUntil = milliseconds;
  }

  /** Returns the ids of the keys, in the order of the file. */
  ids(): readonly Buffer[] {
    return this.keys.map((key) => key.id);
  }

  knows(id: Uint8Array): boolean {
    return this.keys.some((key) => key.id.equals(id));
  }

  /** The id of the sealing key. */
  get sealing(): Buffer {
    return this.current.id;
  }

  /**
   * Returns the id of the oldest key that something may still be sealed with: not {@link sealing} while work that began
   * under an earlier key continues.
   */
  oldestInUse(): Buffer {
    for (const { key } of this.worksInProgress) if (!key.id.equals(this.current.id)) return key.id;
    return this.current.id;
  }

  async whileSealing<T>(work: () => Promise<T>): Promise<T> {
    const begun = { key: this.current };
    this.worksInProgress.add(begun);
    try {
      return await work();
    } finally {
      this.worksInProgress.delete(begun);
    }
  }

  seal(purpose: string, plain: Uint8Array | string): Buffer {
    if (performance.now() > this.sealsUntil)
      throw new PlatformError('UNAVAILABLE', {
        message: 'This process lost the database and does not know which encryption key is current; try again.',
      });
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.current.encryption, nonce).setAAD(Buffer.from(purpose));
    const body = Buffer.concat([cipher.update(typeof plain === 'string' ? Buffer.from(plain) : plain), cipher.final()]);
    return Buffer.concat([Buffer.from([FORM]), this.current.id, nonce, body, cipher.getAuthTag()]);
  }

  open(purpose: string, sealed: Uint8Array): Buffer {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
    const id = keyIdOf(bytes);
    const key =
      id &&
      (this.keys.find((k) => k.id.equals(id)) ??
        this.retiredKeys.find((d) => d.until > performance.now() && d.key.id.equals(id))?.key);
    if (!key) throw new Error('a sealed value cannot be opened: its key is not in the ring');
    const decipher = createDecipheriv('aes-256-gcm', key.encryption, bytes.subarray(5, 17)).setAAD(
      Buffer.from(purpose),
    );
    decipher.setAuthTag(bytes.subarray(-16));
    const plain = decipher.update(bytes.subarray(17, -16));
    // In GCM the final block is empty; this call verifies the tag and throws if a byte was changed.
    decipher.final();
    return plain;
  }

  blindIndex(purpose: string, value: string): Buffer {
    return indexUnder(this.current, purpose, value);
  }

  blindIndexes(purpose: string, value: string): readonly Buffer[] {
    return [this.current, ...this.keys.filter((key) => key !== this.current)].map((key) =>
      indexUnder(key, purpose, value),
    );
  }
}

/** Creates a ring from a text; see {@link KeyRing}. */
export function cipherFromKeys(text: string): KeyRing {
  return new KeyRing(text);
}

/** Returns a new random key for the key file. */
export function newKey(): string {
  return randomBytes(32).toString('base64');
}

/** Returns the id of the key that sealed a value; undefined if it is not a sealed value. */
export function keyIdOf(sealed: Uint8Array): Buffer | undefined {
  return sealed[0] === FORM && sealed.length > KEY_ID_BYTES
    ? Buffer.from(sealed.subarray(1, 1 + KEY_ID_BYTES))
    : undefined;
}

/** Returns the keys of a key file's text as written there, each with its id. */
export function keysOf(text: string): { readonly text: string; readonly id: Buffer }[] {
  return linesOf(text).map((line) => ({ text: line, id: idOf(decodeKey(line)) }));
}

function ringOf(text: string, sealing: Uint8Array | undefined): { keys: readonly RingKey[]; current: RingKey } {
  const keys = linesOf(text).map(decodeKey).map(ringKey);
  const current = (sealing && keys.find((key) => key.id.equals(sealing))) ?? keys[0];
  if (!current) throw new Error('the secret key is empty: expected 32 random bytes as base64 or hex');
  return { keys, current };
}

function linesOf(text: string): string[] {
  return text.split(/\s+/).filter((line) => line !== '');
}

function decodeKey(line: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(line) ? Buffer.from(line, 'hex') : Buffer.from(line, 'base64');
  if (key.length < 32) throw new Error('a secret key is too short: expected 32 random bytes as base64 or hex');
  return key;
}

function idOf(master: Buffer): Buffer {
  return createHash('sha256').update('key id').update(master).digest().subarray(0, KEY_ID_BYTES);
}

function ringKey(master: Buffer): RingKey {
  return { id: idOf(master), encryption: derive(master, 'encryption'), index: derive(master, 'blind index') };
}

function indexUnder(key: RingKey, purpose: string, value: string): Buffer {
  return createHmac('sha256', key.index).update(`${purpose}\n${value}`).digest().subarray(0, 16);
}

/** Derives a key object; passing bytes would make Node create one on every use, which tripled the time of sealing. */
function derive(master: Buffer, use: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `casewright ${use}`, 32)));
}
