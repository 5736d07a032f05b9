import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  assertOptions,
  optionValues,
  type OptionValues,
  type ProviderType,
  type StoredOptions,
} from '../../../src/contracts/provider-options.ts';
import { f, required } from '../../../src/kernel/declare/field.ts';

const declared = {
  Host: required(f.text({ doc: 'The server.' })),
  Password: f.secret({ doc: 'The password.' }),
  Region: f.choice(['EU', 'US'], { doc: 'Where mail is sent from.', default: 'EU' }),
  Retries: f.integer({ doc: 'Attempts.' }),
  ApiKey: required(f.secret({ doc: 'The key.' })),
};
const owner = { type: 'web', noun: 'mail server', declared };

function stored(options = '', secrets = 'ApiKey=k', columns: Readonly<Record<string, unknown>> = {}): StoredOptions {
  return { columns: new Map(Object.entries({ Host: 'h', Password: null, Port: null, ...columns })), options, secrets };
}

describe('options of saved providers', () => {
  it('an option has the value of its column, or else that of its name in Options or Secrets', () => {
    assert.deepEqual(optionValues(declared, stored('retries=3&Region=us', 'apikey=a%26b', { Password: 'p' })), {
      Host: 'h',
      Password: 'p',
      Region: 'US',
      Retries: 3,
      ApiKey: 'a&b',
    });
  });

  it('an empty option is absent, or has its default', () => {
    assert.deepEqual(optionValues(declared, stored('Retries=&Region=', '')), { Host: 'h', Region: 'EU' });
  });

  it('a secret is not read from Options, nor another option from Secrets', () => {
    const values = optionValues(declared, stored('ApiKey=plain', 'Retries=1'));
    assert.deepEqual(values, { Host: 'h', Region: 'EU' });
  });

  it('each mistake is refused, naming what to send', () => {
    const refused = (of: StoredOptions, code: string, field: string, message: RegExp): void =>
      assert.throws(() => assertOptions(owner, of), { code, field, message });
    assertOptions(owner, stored('Region=EU'));
    refused(stored('', 'ApiKey=k', { Host: null }), 'MISSING_PARAMETER', 'Host', /^Host is required .* kind web\.$/);
    refused(stored('', ''), 'MISSING_PARAMETER', 'ApiKey', /send it in Secrets, also when the address .* changes/);
    refused(stored('', 'ApiKey=k', { Port: 25 }), 'BAD_PARAMETER', 'Port', /kind web has Host, Password, Region/);
    refused(stored('Regoin=EU'), 'BAD_PARAMETER', 'Options', /Region, Retries \(did you mean Region\?\)/);
    refused(stored('ApiKey=k'), 'BAD_PARAMETER', 'Options', /Region, Retries/);
    refused(stored('', 'ApiKey=k&Region=EU'), 'BAD_PARAMETER', 'Secrets', /: ApiKey/);
    refused(stored('Region=EU&region=US'), 'BAD_PARAMETER', 'Options', /Region once/);
    refused(stored('Region=Mars'), 'BAD_PARAMETER', 'Region', /one of EU, US/);
    refused(stored('Host=other'), 'BAD_PARAMETER', 'Options', /Region, Retries/);
    refused(stored('__proto__=x'), 'BAD_PARAMETER', 'Options', /Region, Retries/);
  });

  it('a value of a type that the option does not have does not compile', () => {
    const values: OptionValues<typeof declared> = { Host: 'h', ApiKey: 'k', Region: 'EU', Retries: 1 };
    // @ts-expect-error -- Retries is a number
    const wrong: OptionValues<typeof declared> = { ...values, Retries: 'three' };
    // @ts-expect-error -- there is no such option
    const misspelled: unknown = values.Regoin;
    const type: ProviderType<string, typeof declared> = {
      options: declared,
      validate: () => undefined,
      open: ({ options }) => options.ApiKey,
    };
    const any: ProviderType<string> = type;
    assert.equal(any.open({ id: 1, name: 'n', options: values }), 'k');
    assert.deepEqual([wrong.Retries, misspelled], ['three', undefined]);
  });
});
