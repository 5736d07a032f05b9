import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseAuthenticationResults } from '../../../../src/lib/mail/authentication-results.ts';
import { parseMail } from '../../../../src/lib/mail/parse-mail.ts';

const checks = (value: string): unknown =>
  parseAuthenticationResults(value)?.checks.map(({ method, result, properties }) => [method, result, properties]);

describe('MSG-05 headers Authentication-Results (RFC 8601)', () => {
  it('name the server and each check with its properties, whatever comments and quotations they have', () => {
    const parsed = parseAuthenticationResults(
      'MX.firm.example 1; dmarc=pass (p=reject; dmarc=fail (really)) header.from="Firm.example"; ' +
        'dkim/1=fail reason="bad; spf=pass" header.d=firm.example header.d=evil.example; none-such',
    );
    assert.deepEqual(parsed, {
      server: 'mx.firm.example',
      checks: [
        { method: 'dmarc', result: 'pass', properties: { 'header.from': 'firm.example' } },
        { method: 'dkim', result: 'fail', properties: { 'header.d': 'firm.example' } },
      ],
    });
    assert.deepEqual(parseAuthenticationResults('mx.firm.example; none'), { server: 'mx.firm.example', checks: [] });
  });

  it('of a server that writes no name have an empty one', () => {
    const value =
      'spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=a.example; dmarc=none action=none header.from=a.example';
    assert.equal(parseAuthenticationResults(value)?.server, '');
    assert.deepEqual(checks(value), [
      ['spf', 'pass', { 'smtp.mailfrom': 'a.example' }],
      ['dmarc', 'none', { 'header.from': 'a.example' }],
    ]);
  });

  it('in which a sender hides a check within an address state no other check', () => {
    const hidden = 'mx.a.example; spf=fail smtp.mailfrom="x; dmarc=pass header.from=b.example; \\" y"@evil.example';
    assert.deepEqual(checks(hidden), [
      ['spf', 'fail', { 'smtp.mailfrom': 'x; dmarc=pass header.from=b.example; " y@evil.example' }],
    ]);
    for (const open of ['mx.a.example; spf=fail (dmarc', 'mx.a.example; spf=fail smtp.mailfrom="a', '', '   ', '('])
      assert.equal(parseAuthenticationResults(open), undefined, open);
  });

  it('of any text are parsed in bounded time, to short names and values', () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
    const pieces = [
      'mx.a.example',
      ' ',
      ';',
      '=',
      '"',
      '(',
      ')',
      '\\',
      'dmarc',
      'pass',
      'header.from',
      '.',
      '/',
      '\0',
      'é',
    ];
    for (let n = 0; n < 5_000; n++) {
      const value = Array.from({ length: random(60) }, () => pieces[random(pieces.length)]).join('');
      for (const { method, result } of parseAuthenticationResults(value)?.checks ?? []) {
        assert.match(method, /^[a-z0-9-]{1,40}$/);
        assert.match(result, /^[a-z]{1,40}$/);
      }
    }
    for (const long of ['('.repeat(8_000), '"\\'.repeat(4_000), 'a=b '.repeat(2_000), 'a;'.repeat(4_000)])
      assert.ok((parseAuthenticationResults(long)?.checks.length ?? 0) <= 50);
    assert.equal(parseAuthenticationResults(`mx.a.example; dmarc=pass ${'x'.repeat(8_000)}`), undefined);
  });

  it('keep their order in a mail, and count for nothing where it has several senders', async () => {
    const headers = (from: string): Buffer =>
      Buffer.from(
        'Authentication-Results: mx.a.example;\r\n dmarc=pass\r\nReceived: from b\r\n' +
          `Authentication-Results: mx.b.example; none\r\n${from}\r\n\r\nHello.\r\n`,
      );
    const mail = await parseMail(headers('From: a@a.example'));
    assert.deepEqual(
      mail.authentication.map(({ server, place }) => [server, place]),
      [
        ['mx.a.example', 0],
        ['mx.b.example', 2],
      ],
    );
    assert.deepEqual((await parseMail(headers('From: a@a.example\r\nFrom: b@b.example'))).authentication, []);
  });
});
