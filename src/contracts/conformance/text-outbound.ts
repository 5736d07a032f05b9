import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { OutboundText, TextOutbound } from '../text-outbound.ts';

/** What a provider's test passes to the suite: the provider, and the messages that arrived. */
export interface TextPeer {
  readonly outbound: TextOutbound;
  /** Returns the messages that arrived with a key: their numbers and texts. */
  readonly arrived: (key: string) => Promise<readonly Pick<OutboundText, 'to' | 'text'>[]>;
}

/** One requirement: a sentence, and a function that throws if the provider does not meet it. */
export interface TextDemand {
  readonly title: string;
  readonly check: (peer: TextPeer) => Promise<void>;
}

function textOf(more: Partial<OutboundText> = {}): OutboundText {
  return { key: randomUUID(), to: '+12025550123', text: 'Your hearing is on March 2. Grüße 🏠', ...more };
}

const refusedTexts: readonly Partial<OutboundText>[] = [
  { to: '2025550123' },
  { to: '+1 202 555 0123' },
  { to: '+12025550123\r\nX: y' },
  { to: '' },
  { text: ' ' },
  { text: 'x'.repeat(1_601) },
  { text: 'a\u0000b' },
  { key: 'two words' },
];

/** Requirements of every provider of the contract. */
export const textOutboundConformance: readonly TextDemand[] = [
  {
    title: 'sends a message once to its number, unchanged',
    async check({ outbound, arrived }) {
      const text = textOf();
      const { status, detail } = await outbound.send(text);
      assert.deepEqual([status, detail], ['accepted', null]);
      assert.deepEqual(await arrived(text.key), [{ to: text.to, text: text.text }]);
    },
  },
  {
    title: 'sends a repeated message once',
    async check({ outbound, arrived }) {
      const text = textOf();
      for (let times = 0; times < 3; times++) assert.equal((await outbound.send(text)).status, 'accepted');
      assert.equal((await arrived(text.key)).length, 1);
    },
  },
  {
    title: 'refuses what no telephone could get, and sends nothing',
    async check({ outbound, arrived }) {
      for (const more of refusedTexts) {
        const text = textOf(more);
        let begun = false;
        const beforeData = (): Promise<void> => Promise.resolve(void (begun = true));
        await assert.rejects(outbound.send(text, { beforeData }), { code: 'BAD_PARAMETER' }, JSON.stringify(more));
        assert.equal(begun, false);
        assert.deepEqual(await arrived(text.key), []);
      }
    },
  },
  {
    title: 'calls beforeData once, before the first byte, and sends nothing if it rejects',
    async check({ outbound, arrived }) {
      let times = 0;
      await outbound.send(textOf(), { beforeData: () => Promise.resolve(void times++) });
      assert.equal(times, 1);
      const other = textOf();
      await assert.rejects(outbound.send(other, { beforeData: () => Promise.reject(new Error('not any more')) }), {
        message: 'not any more',
      });
      assert.deepEqual(await arrived(other.key), []);
      assert.equal((await outbound.send(textOf())).status, 'accepted');
    },
  },
  {
    title: 'reports whether it can send',
    check: ({ outbound }) => outbound.check(),
  },
];
