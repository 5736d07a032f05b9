import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { textOutboundConformance } from '../../../../src/contracts/conformance/text-outbound.ts';
import { internationalNumber } from '../../../../src/contracts/text-outbound.ts';
import { outboundHttpLoopback } from '../../../../src/kernel/declare/core-settings.ts';
import type { SettingDefinition } from '../../../../src/kernel/declare/setting.ts';
import { FolderTextOutbound } from '../../../../src/providers/text-outbound/folder/folder-text-outbound.ts';
import type { HttpTextOptions } from '../../../../src/providers/text-outbound/http/text-options.ts';
import { httpTextServices } from '../../../../src/providers/text-outbound/http/text-type.ts';
import { startTextApi } from '../../../support/peers/text-api.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const api = await startTextApi({ after });
/** This machine can be connected to because the setting allows it. */
const settings = {
  get: <T>(definition: SettingDefinition<T>): T =>
    (definition.name === outboundHttpLoopback.name ? true : definition.default) as T,
};
const services = httpTextServices(settings);
const options: HttpTextOptions = {
  Endpoint: api.url,
  ApiKey: api.key,
  IdempotencyHeader: 'Idempotency-Key',
  Sender: '+12025550100',
};
const saved = (more: Partial<HttpTextOptions> = {}) => ({ id: 1, name: 'Test', options: { ...options, ...more } });

describe('a service for text messages over HTTP meets the contract', () => {
  const peer = {
    outbound: services.open(saved()),
    arrived: (key: string) =>
      Promise.resolve(api.texts.filter(({ id }) => id === key).map(({ to, text }) => ({ to, text }))),
  };
  for (const { title, check } of textOutboundConformance) it(title, () => check(peer));

  it('reports a refused number, and a rejected key without repeating it', async () => {
    const text = { key: 'k1', to: '+12025550199', text: 'x' };
    const refused = await services.open(saved()).send(text);
    assert.deepEqual([refused.status, refused.detail], ['refused', '422 no such number']);
    const rejected = services.open(saved({ ApiKey: 'another-key-1' }));
    assert.equal((await rejected.send(text)).status, 'later');
    await assert.rejects(rejected.check(), { code: 'UNAVAILABLE', message: /rejected ApiKey/ });
  });

  it('refuses wrong options by name', () => {
    for (const [name, more] of [
      ['Endpoint', { Endpoint: 'ftp://x.example' }],
      ['ApiKey', { ApiKey: 'short' }],
      ['IdempotencyHeader', { IdempotencyHeader: 'Host' }],
      ['Sender', { Sender: 'a\r\nb' }],
    ] as const)
      assert.throws(() => services.validate(saved(more)), { code: 'BAD_PARAMETER', field: name });
    services.validate(saved());
  });
});

describe('the folder for text messages meets the contract', () => {
  const folder = join(temporaryFolder({ after }), 'texts');
  const peer = {
    outbound: new FolderTextOutbound(folder),
    arrived: (key: string) =>
      Promise.resolve(
        (existsSync(folder) ? readdirSync(folder) : [])
          .map((name) => /^To: (.+)\nID: (.+)\n\n([^]*)\n$/.exec(readFileSync(join(folder, name), 'utf8')) ?? [])
          .filter(([, , id]) => id === key)
          .map(([, to = '', , text = '']) => ({ to, text })),
      ),
  };
  for (const { title, check } of textOutboundConformance) it(title, () => check(peer));
});

it('numbers are brought into international form; a bare one of ten digits is American', () => {
  assert.deepEqual(
    ['(202) 555-0123', '1-202-555-0123', '+49 30 1234567', '555-0123', '+0123456789', 'x'].map(internationalNumber),
    ['+12025550123', '+12025550123', '+49301234567', undefined, undefined, undefined],
  );
});
