import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fixedClock } from '../../../src/kernel/time/clock.ts';
import { KeyRing, newKey } from '../../../src/kernel/security/cipher.ts';
import type { SettingDefinition } from '../../../src/kernel/declare/setting.ts';
import {
  readToken,
  readUnsubscribeToken,
  replyAddressOf,
  returnPathOf,
  unsubscribeTokenOf,
  type TokenContext,
} from '../../../src/modules/messages/lib/tokens/mail-tokens.ts';

const clock = fixedClock('2026-03-02T09:00:00.000Z');
const DAY_MILLISECONDS = 86_400_000;

function contextOf(
  keys: string,
  domains = { BounceDomain: 'bounces.cases.example', ReplyDomain: 'reply.cases.example' },
): TokenContext {
  return {
    clock,
    cipher: new KeyRing(keys),
    settings: {
      get: <T>({ name, default: value }: SettingDefinition<T>): T =>
        name in domains ? (domains[name as keyof typeof domains] as T) : value,
    },
  };
}

const [first, second] = [newKey(), newKey()];
const ctx = contextOf(first);

/** Returns a text with one character changed. */
function changed(text: string, at: number): string {
  return `${text.slice(0, at)}${text[at] === '0' ? '1' : '0'}${text.slice(at + 1)}`;
}

describe('addresses that name a delivery or a message', () => {
  const bounce = returnPathOf(ctx, 123_456_789) ?? '';
  const reply = replyAddressOf(ctx, 987_654) ?? '';

  it('MSG-04 are read again, in any case and with angle brackets, and are short enough for every server', () => {
    assert.deepEqual(readToken(ctx, bounce), { kind: 'bounce', id: 123_456_789 });
    assert.deepEqual(readToken(ctx, ` <${bounce.toUpperCase()}>`), { kind: 'bounce', id: 123_456_789 });
    assert.deepEqual(readToken(ctx, reply), { kind: 'reply', id: 987_654 });
    for (const address of [bounce, reply, returnPathOf(ctx, Number.MAX_SAFE_INTEGER) ?? '']) {
      assert.equal(address, address.toLowerCase());
      assert.match(address, /^[a-z0-9+.-]{1,64}@[a-z.]+$/);
    }
  });

  it('are refused with any character changed, with the hash of another kind, and at another domain', () => {
    for (const address of [bounce, reply])
      for (let at = 0; at < address.length; at++)
        assert.equal(readToken(ctx, changed(address, at)), undefined, `${at}`);
    assert.equal(readToken(ctx, bounce.replace('b+', 'r+')), undefined);
    assert.equal(readToken(ctx, reply.replace('reply.', 'bounces.')), undefined);
    for (const text of ['', 'a@b.example', 'b+1-0000000000000000@bounces.cases.example', `${reply},${reply}`])
      assert.equal(readToken(ctx, text), undefined, text);
    const copy = contextOf(first, { BounceDomain: 'bounces.copy.example', ReplyDomain: 'reply.copy.example' });
    const moved = bounce.replace('bounces.cases', 'bounces.copy');
    assert.equal(readToken(copy, moved), undefined, 'the token of a copied installation');
  });

  it('stay valid while their key is in the ring; a return path for 30 days, a reply address without end', () => {
    assert.deepEqual(readToken(contextOf(`${second}\n${first}`), bounce), { kind: 'bounce', id: 123_456_789 });
    assert.equal(readToken(contextOf(second), bounce), undefined);
    clock.advance(30 * DAY_MILLISECONDS);
    assert.equal(readToken(ctx, bounce)?.id, 123_456_789);
    clock.advance(DAY_MILLISECONDS);
    assert.equal(readToken(ctx, bounce), undefined);
    assert.equal(readToken(ctx, reply)?.id, 987_654);
    clock.advance(-31 * DAY_MILLISECONDS);
  });

  it('do not exist without the settings', () => {
    const none = contextOf(first, { BounceDomain: '', ReplyDomain: '' });
    assert.deepEqual([returnPathOf(none, 1), replyAddressOf(none, 1)], [undefined, undefined]);
    assert.equal(readToken(none, 'b+1.1-0000000000000000@'), undefined);
  });
});

it('a link to unsubscribe names its recipient, and no other text does', () => {
  const token = unsubscribeTokenOf(ctx, 4_711);
  assert.equal(readUnsubscribeToken(ctx, token), 4_711);
  for (let at = 0; at < token.length; at++) assert.equal(readUnsubscribeToken(ctx, changed(token, at)), undefined);
  assert.equal(readUnsubscribeToken(contextOf(second), token), undefined);
});
