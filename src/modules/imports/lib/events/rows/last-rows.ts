import { randomInt } from 'node:crypto';

/** A key as 96 bits: the first 32 select the slot, the others confirm the key. */
export type KeyHash = Uint32Array;

/** Hashes keys, with random seeds for each run, so that it cannot be predicted which keys collide. */
export class KeyHasher {
  private readonly seeds = Uint32Array.from({ length: 4 }, () => randomInt(2 ** 32));
  private a = 0;
  private b = 0;
  private c = 0;
  private d = 0;

  begin(): void {
    this.a = this.seeds[0] as number;
    this.b = this.seeds[1] as number;
    this.c = this.seeds[2] as number;
    this.d = this.seeds[3] as number;
  }

  /** Adds a part of the key, without surrounding spaces and ignoring the case of ASCII letters. Parts are separated. */
  add(bytes: Uint8Array, start: number, end: number): void {
    let { a, b, c, d } = this;
    for (let at = start; at < end; at++) {
      let byte = bytes[at] as number;
      if (byte >= 97 && byte <= 122) byte -= 32;
      a = Math.imul(a ^ byte, 0x9e3779b1);
      b = Math.imul(b ^ byte, 0x85ebca77) ^ (b >>> 13);
      c = Math.imul(c ^ byte, 0xc2b2ae3d) ^ (c >>> 15);
      d = Math.imul(d ^ byte, 0x27d4eb2f) ^ (d >>> 11);
    }
    // A value that is not a byte separates two parts.
    this.a = Math.imul(a ^ 0x100, 0x9e3779b1) ^ (a >>> 16);
    this.b = Math.imul(b ^ 0x100, 0x85ebca77);
    this.c = Math.imul(c ^ 0x100, 0xc2b2ae3d);
    this.d = Math.imul(d ^ 0x100, 0x27d4eb2f);
  }

  /** Writes the hash of the added parts into `hash`. */
  end(hash: KeyHash): void {
    hash[0] = mixBits(this.a ^ (this.c >>> 7));
    hash[1] = mixBits(this.b ^ (this.a >>> 9));
    hash[2] = mixBits(this.c ^ Math.imul(this.d, 0x9e3779b1));
  }
}

function mixBits(value: number): number {
  let x = value ^ (value >>> 16);
  x = Math.imul(x, 0x7feb352d);
  x ^= x >>> 15;
  x = Math.imul(x, 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/**
 * Initial number of keys. The table grows by half when it is four fifths full. A key then takes 20 bytes, and half as
 * much again while the table grows.
 */
const CAPACITY_START = 1 << 16;
/** Most events of one file; the table then takes a quarter of a gigabyte. */
export const KEYS_MAX = 10_000_000;

/** Maps each key to the last row of a file that has it. */
export class LastRows {
  private capacity = CAPACITY_START;
  private hashes = new Uint32Array(3 * CAPACITY_START);
  private rows = new Uint32Array(CAPACITY_START);
  /** Number of keys. */
  size = 0;

  /** Sets the row of a key, from 1. Rows must come in order. */
  set(hash: KeyHash, row: number): void {
    if (5 * (this.size + 1) > 4 * this.capacity) this.grow();
    const slot = this.slot(hash);
    if (this.rows[slot] === 0) {
      this.hashes.set(hash, 3 * slot);
      this.size++;
    }
    this.rows[slot] = row;
  }

  /** Returns the last row of a key, 0 if there is none. */
  get(hash: KeyHash): number {
    return this.rows[this.slot(hash)] as number;
  }

  private slot(hash: KeyHash): number {
    const { hashes, rows, capacity } = this;
    const h0 = hash[0] as number;
    const h1 = hash[1] as number;
    const h2 = hash[2] as number;
    let slot = Math.floor((h0 / 2 ** 32) * capacity);
    while (rows[slot] !== 0) {
      const at = 3 * slot;
      if (hashes[at] === h0 && hashes[at + 1] === h1 && hashes[at + 2] === h2) return slot;
      slot = slot + 1 === capacity ? 0 : slot + 1;
    }
    return slot;
  }

  private grow(): void {
    const { hashes, rows, capacity } = this;
    this.capacity = Math.ceil(1.5 * capacity);
    this.hashes = new Uint32Array(3 * this.capacity);
    this.rows = new Uint32Array(this.capacity);
    for (let old = 0; old < capacity; old++) {
      if (rows[old] === 0) continue;
      const hash = hashes.subarray(3 * old, 3 * old + 3);
      const slot = this.slot(hash);
      this.hashes.set(hash, 3 * slot);
      this.rows[slot] = rows[old] as number;
    }
  }
}
