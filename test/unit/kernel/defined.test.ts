import assert from 'node:assert/strict';
import { it } from 'node:test';
import { defined } from '../../../src/kernel/parameters/defined.ts';

interface Options {
  readonly name: string;
  readonly size?: number;
}

it('defined() drops properties that are undefined and keeps null, 0, false and empty text', () => {
  assert.deepEqual(defined({ a: undefined, b: null, c: 0, d: false, e: '', f: undefined }), {
    b: null,
    c: 0,
    d: false,
    e: '',
  });
});

it('defined() makes a property that may be undefined an optional one', () => {
  const size: number | undefined = [4, 5].at(2);
  const options: Options = defined({ name: 'x', size });
  assert.deepEqual(Object.keys(options), ['name']);
});
