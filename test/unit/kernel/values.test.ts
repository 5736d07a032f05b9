import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { loggableMessage } from '../../../src/kernel/database/database-error.ts';
import { nearest, PlatformError } from '../../../src/kernel/door/errors.ts';
import { f } from '../../../src/kernel/declare/field.ts';
import type { Field } from '../../../src/kernel/declare/field-types.ts';
import { parseValue, type RawValue } from '../../../src/kernel/parameters/parse-value.ts';
import { anyCharacter } from '../../support/characters.ts';

const options = { timeZone: 'America/New_York' };
const parse = (field: Field, raw: RawValue): unknown => parseValue(field, raw, 'X', options);

function refused(field: Field, raw: RawValue): void {
  assert.throws(
    () => parse(field, raw),
    (error) => {
      assert.ok(error instanceof PlatformError, `${JSON.stringify(raw)} was refused with ${String(error)}`);
      assert.equal(error.code, 'BAD_PARAMETER');
      assert.equal(error.field, 'X');
      assert.match(error.message, /^X: expected ./);
      // A value may be personal and is not repeated in an error; a very short one may occur in its text by chance.
      if (typeof raw === 'string' && raw.length > 6) assert.ok(!error.message.includes(raw), error.message);
      return true;
    },
    JSON.stringify(raw),
  );
}

describe('names nearest to an unknown one', () => {
  it('are misspellings of it, best first, and no other words of the same length', () => {
    for (const [name, known, expected] of [
      ['SSN', ['USSSN', 'Fax', 'Suffix'], ['USSSN']],
      ['Nope', ['P5', 'Dup7', 'Edge', 'Loan'], []],
      ['P5', ['P7', 'Q3', 'Prices'], ['P7']],
      ['loantyp', ['LoanID', 'Loan', 'LoanType', 'Borrower'], ['LoanType', 'Loan', 'LoanID']],
      ['Usr', ['User', 'Use', 'Role'], ['Use', 'User']],
      ['', ['ID', 'A'], []],
    ] as const)
      assert.deepEqual(nearest(name, known), expected, name);
  });
});

describe('the text of an error in the log', () => {
  const logged = (text: string): string => loggableMessage(new Error(text)).replace(/^Error: /, '');

  it('KRN-21 shows examples, times, IDs of calls and names, and hides what may be personal', () => {
    const shown = [
      'BirthDate: expected a date such as 2026-01-31 or 2026-01-31T14:30:00+01:00.',
      'storage location s3x1234 is closed',
      'the hold began at 2026-03-02T15:00:00.000Z',
      'call 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
      'waited 10 of 300 ms',
    ];
    for (const text of shown) assert.equal(logged(text), text);
    const hidden = [
      'born 1961-04-05',
      'SSN 000-12-3456',
      'SSN123456789',
      'ssn123-45-6789',
      'loan 7001234567',
      'account x12345678',
      'phone 212-555-0100',
      'key (loan)=(4711)',
      'value "1961-04-05T00:00:00Z"',
    ];
    for (const text of hidden) assert.doesNotMatch(logged(text), /\d{3}/, text);
  });

  it("KRN-21 shows the IDs of records in the platform's own errors, and nothing else that it hides", () => {
    const own = (message: string): string =>
      loggableMessage(new PlatformError('NOT_FOUND', { message })).replace(/^PlatformError: /, '');
    for (const text of ["Process 777777 not found, or you don't have access to it.", 'Item 12345678: it is on hold.'])
      assert.equal(own(text), text);
    for (const text of ['Contact 123456789', 'SSN 000-12-3456', 'born 1961-04-05', 'loan 7001234567', 'value "4711"'])
      assert.doesNotMatch(own(text), /\d{3}/, text);
    assert.equal(logged('Process 777777 not found'), 'Process #### not found', 'not of errors of other programs');
  });
});

const money = f.money({ doc: '' });
const decimal = f.decimal({ doc: '' });
const date = f.date({ doc: '' });
const timestamp = f.timestamp({ doc: '' });

describe('numbers', () => {
  const digits = fc.stringMatching(/^\d{1,15}$/);

  it('KRN-07 an exact decimal is read digit by digit: all of up to 15 digits before the point and 18 after it', () => {
    fc.assert(
      fc.property(digits, fc.stringMatching(/^\d{0,18}$/), fc.constantFrom('', '-', '+'), (whole, rest, sign) => {
        const value = String(parse(decimal, `${sign}${whole}${rest === '' ? '' : `.${rest}`}`));
        const scaled = (text: string): bigint => {
          const [head = '', tail = ''] = text.replace(/^[+-]/, '').split('.');
          return BigInt(head + tail.padEnd(18, '0')) * (text.startsWith('-') ? -1n : 1n);
        };
        assert.equal(scaled(value), scaled(`${sign}${whole}.${rest}`));
        assert.match(value, /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/, 'canonical: no plus, no leading or trailing zeros');
        assert.notEqual(value, '-0');
      }),
    );
  });

  it('money accepts grouping and a dollar sign, and refuses amounts that it would have to round', () => {
    assert.equal(parse(money, '1,234,567.8900'), '1234567.89');
    assert.equal(parse(money, `1.5${'0'.repeat(1_000_000)}`), '1.5');
    refused(money, `1.${'0'.repeat(1_000_000)}1`);
    assert.equal(parse(money, '-$5.25'), '-5.25');
    assert.equal(parse(money, 0.1), '0.1');
    assert.equal(parse(money, '999999999999999.9999'), '999999999999999.9999');
    assert.equal(parse(decimal, 1e-7), '0.0000001');
    for (const raw of [
      '1.23456',
      '12,34',
      '1,2345',
      '1.2.3',
      '.',
      '-',
      'abc',
      'NaN',
      'Infinity',
      '1e5',
      '0x10',
      '1 000',
      '1000000000000000',
      1e21,
      Number.NaN,
      true,
      ['1', '2'],
    ])
      refused(money, raw);
  });

  it('integers and IDs stay within the stored range, and huge ones are refused', () => {
    const integer = f.integer({ doc: '' });
    const id = f.id({ doc: '' });
    assert.equal(parse(integer, ' -2147483647 '), -2_147_483_647);
    assert.equal(parse(id, '9007199254740991'), 9_007_199_254_740_991);
    for (const raw of ['2147483648', '99999999999', '1.5', '1e3', 1.5, true, '', ' ', '٣'].filter((r) => r !== ''))
      refused(integer, raw);
    for (const raw of ['0', '-1', '9007199254740992', '99999999999999999999', '1.0', 'x', 0, -5, 1.5]) refused(id, raw);
  });

  it('lists of IDs accept commas and repetition, keep each once, and have a limit', () => {
    const ids = f.idList({ doc: '' });
    assert.deepEqual(parse(ids, ['3, 1', 2, '1']), [3, 1, 2]);
    for (const raw of [',', ['x'], [[1]] as unknown as RawValue, Array.from({ length: 10_001 }, (_, i) => i + 1)])
      refused(ids, raw);
    const few = f.idList({ doc: '', max: 2 });
    assert.deepEqual(parse(few, '1,2,1'), [1, 2]);
    assert.throws(() => parse(few, '1,2,3'), { code: 'TOO_LARGE', message: 'X: a call accepts at most 2 IDs.' });
  });
});

describe('text', () => {
  const text = f.text({ doc: '', max: 4 });

  it('counts characters, not code units, and refuses NUL and lone surrogates', () => {
    assert.equal(parse(text, '😀😀😀😀'), '😀😀😀😀');
    for (const raw of ['abcde', 'a\u0000b', '\ud800', 'a\udc00']) refused(text, raw);
  });

  it('keeps any other text as it was sent', () => {
    const any = f.text({ doc: '' });
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 1 }), (value) => {
        if (value.includes('\u0000') || !value.isWellFormed()) refused(any, value);
        else assert.equal(parse(any, value), value);
      }),
    );
  });

  it('choices ignore case and keep the declared spelling; booleans accept their documented words', () => {
    assert.equal(parse(f.choice(['One', 'Many'], { doc: '' }), 'many'), 'Many');
    refused(f.choice(['One', 'Many'], { doc: '' }), 'Some');
    const boolean = f.boolean({ doc: '' });
    assert.deepEqual(
      ['true', '1', 'YES', 'on', true, 1].map((v) => parse(boolean, v)),
      Array(6).fill(true),
    );
    assert.deepEqual(
      ['false', '0', 'No', 'off', false, 0].map((v) => parse(boolean, v)),
      Array(6).fill(false),
    );
    for (const raw of ['maybe', '2', 2]) refused(boolean, raw);
  });
});

describe('dates', () => {
  it('a date is accepted in each of the five formats and never shifted by a time zone', () => {
    for (const raw of [
      '2024-02-29',
      '2024-02-29T23:30',
      '2024-02-29 23:30:15',
      '2024-02-29T23:30:15.5Z',
      '2024-02-29T23:30:15-11:00',
    ])
      assert.equal(parse(date, raw), '2024-02-29');
  });

  it("an instant without a zone is in the installation's time zone, with one it is exact", () => {
    const forms: readonly (readonly [string, string])[] = [
      ['2024-07-01', '2024-07-01T04:00:00.000Z'],
      ['2024-07-01T12:30', '2024-07-01T16:30:00.000Z'],
      ['2024-01-01 12:30:15', '2024-01-01T17:30:15.000Z'],
      ['2024-07-01T12:30:15.25Z', '2024-07-01T12:30:15.250Z'],
      ['2024-07-01T12:30:15+02:00', '2024-07-01T10:30:15.000Z'],
      ['2024-07-01T12:30:15-0930', '2024-07-01T22:00:15.000Z'],
      ['2024-07-01T12:30:15.123456789Z', '2024-07-01T12:30:15.123Z'],
    ];
    for (const [raw, expected] of forms) assert.equal(parse(timestamp, raw), expected, raw);
  });

  it('daylight saving time: a skipped time moves later by the gap, one that occurs twice is the first', () => {
    assert.equal(parse(timestamp, '2026-03-08T02:30'), '2026-03-08T07:30:00.000Z');
    assert.equal(parse(timestamp, '2026-11-01T01:30'), '2026-11-01T05:30:00.000Z');
    assert.equal(
      parseValue(timestamp, '2026-03-29T02:30', 'X', { timeZone: 'Europe/Berlin' }),
      '2026-03-29T01:30:00.000Z',
    );
    assert.equal(
      parseValue(timestamp, '2026-10-25T02:30', 'X', { timeZone: 'Europe/Berlin' }),
      '2026-10-25T00:30:00.000Z',
    );
  });

  it('any instant of the years 1 to 9999 survives its ISO format', () => {
    const first = new Date(0).setUTCFullYear(1, 0, 1);
    fc.assert(
      fc.property(fc.integer({ min: first, max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) }), (at) => {
        const iso = new Date(at).toISOString();
        assert.equal(parse(timestamp, iso), iso);
        assert.equal(parse(date, iso), iso.slice(0, 10));
      }),
    );
    assert.equal(parse(timestamp, '0099-12-31T00:00:00Z'), '0099-12-31T00:00:00.000Z');
  });

  it('refuses dates and times that do not exist', () => {
    for (const raw of [
      '2023-02-29',
      '2024-13-01',
      '2024-00-10',
      '2024-04-31',
      '0000-01-01',
      '24-1-1',
      '1/31/2026',
      '2024-01-01T24:00',
      '2024-01-01T10:60',
      '2024-01-01T10',
      'today',
      20240101,
      true,
    ]) {
      refused(date, raw);
      refused(timestamp, raw);
    }
    for (const raw of [
      '2024-01-01T10:00+15:00',
      '2024-01-01T10:00+10:60',
      '9999-12-31T23:00:00-05:00',
      '0001-01-01T00:00:00+05:00',
    ])
      refused(timestamp, raw);
  });
});

describe('Social Security numbers', () => {
  it('are nine digits, with or without hyphens, and are never repeated in a refusal', () => {
    const ssn = f.socialSecurityNumber({ doc: '', last: 'Last' });
    assert.equal(parse(ssn, '123-45-6789'), '123456789');
    assert.equal(parse(ssn, 123456789), '123456789');
    for (const raw of ['98765432', '9876543210', '98-765-4321', '987 65 4321', 'XXX-XX-6789']) refused(ssn, raw);
  });
});
