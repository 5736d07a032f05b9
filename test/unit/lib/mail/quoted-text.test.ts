import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { foldQuotedText, ownText } from '../../../../src/lib/mail/quoted-text.ts';

describe('MSG-05 quotations in plain texts', () => {
  it('begin at a heading, at the headers of a mail, or at marked lines to the end', () => {
    const endings = [
      '-----Original Message-----\nearlier',
      'On Mon, Mar 2, 2026 at 9:00 AM Ana Rivera\n<ana@rivera.example> wrote:\n> earlier',
      'From: Ana\nSent: Monday\nSubject: Payoff\nearlier',
      '> earlier\n\n> and before',
    ];
    for (const quoted of endings)
      assert.deepEqual(foldQuotedText(`Thank you.\r\n\r\n${quoted}\n`), { text: 'Thank you.', quoted });
  });

  it('are part of the text if answers follow them', () => {
    const text = '> Which day?\nFriday.\n> How much?\n$500.';
    assert.deepEqual(foldQuotedText(text), { text, quoted: '' });
  });

  it('are kept if there is no other text', () => {
    assert.equal(ownText('> forwarded\n> mail'), '> forwarded\n> mail');
    assert.equal(ownText('See below.\n> forwarded'), 'See below.');
  });

  it('are found in one pass, however many there are', () => {
    const text = `${'> short\n\n'.repeat(500_000)}The end.`;
    assert.equal(foldQuotedText(text).text.length, text.length);
  });
});
