import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PlatformError } from '../../../src/kernel/door/errors.ts';
import { assertGoodPassword } from '../../../src/modules/access/lib/password-policy.ts';

const words = ['administrator', 'Ada', 'Lovelace', 'ada.lovelace@analytical.example', 'Analytical Engines LLP'];

function refusal(password: string): string {
  try {
    assertGoodPassword(password, 'Password', words);
    return '';
  } catch (error) {
    return error instanceof PlatformError ? error.message : String(error);
  }
}

test('KRN-16 refuses passwords that are short, common, sequences, repetitions, or names that others know', () => {
  for (const [password, reason] of [
    ['elevenchars', 'at least 12'],
    ['password1234', 'common'],
    ['P4ssw0rd!2026', 'common'],
    ['qwertyuiop123', 'common'],
    ['passwordpassword', 'common'],
    ['monkey monkey', 'common'],
    ['aaaaaaaaaaaa', 'few different'],
    ['abababababab', 'few different'],
    [' '.repeat(12), 'few different'],
    ['123456789012', 'sequence'],
    ['abcdefghijklm', 'sequence'],
    ['98765432109876', 'sequence'],
    ['administrator', '(common|name that others can find out)'],
    ['Casewright123', 'name that others can find out'],
    ['C4sewright2026!', 'name that others can find out'],
    ['ada.lovelace1815', 'name that others can find out'],
    ['Lovelace password', 'name that others can find out'],
    ['AnalyticalEngines', 'name that others can find out'],
  ] as const)
    assert.match(refusal(password), new RegExp(reason), password);
});

test('KRN-16 takes any composition, length and language, and good passwords with a known word in them', () => {
  for (const password of [
    'correct horse battery',
    'zgq7-mwvd-83kf',
    'ein langer satz über nichts',
    'Lovelace rides a purple tricycle',
    'пароль из четырёх слов',
    'x'.repeat(3) + 'Jk9$mQ2#vL',
    '702394815526',
  ])
    assert.equal(refusal(password), '', password);
});
