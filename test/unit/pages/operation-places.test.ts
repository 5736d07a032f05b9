import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { declarations } from '../../../src/app/catalog.gen.ts';
import { Registry } from '../../../src/kernel/declare/registry.ts';
import {
  subjectOf,
  settingSubjects,
  OTHER_SUBJECT,
} from '../../../src/surfaces/pages/administration/setting-subjects.ts';
import { entryOf, operationPlaces, unplacedOperations } from '../../../src/surfaces/pages/operation-places.ts';

const registry = new Registry(declarations);
const limited = registry.operations().filter(({ access }) => access === 'permission');

describe('places of operations in the console', () => {
  it('WEB-06 every operation with a permission has a place, or a reason why it has none', () => {
    assert.deepEqual(
      limited.map(({ route }) => route).filter((route) => entryOf(route) === undefined),
      [],
    );
  });

  it('WEB-06 every entry is about operations that exist, and each is named once', () => {
    const names = [...operationPlaces, ...unplacedOperations].flatMap(({ operations }) => operations);
    const used = new Set(limited.map(({ route }) => entryOf(route)));
    assert.deepEqual(
      names.filter((name) => !used.has(name)),
      [],
    );
    assert.equal(new Set(names).size, names.length);
  });

  it('WEB-06 every setting has a subject, and every subject has settings', () => {
    assert.deepEqual(
      registry.settings.map(({ name }) => name).filter((name) => subjectOf(name) === OTHER_SUBJECT),
      [],
    );
    const used = new Set(registry.settings.map(({ name }) => subjectOf(name)));
    assert.deepEqual(
      settingSubjects.filter((subject) => subject !== OTHER_SUBJECT && !used.has(subject)),
      [],
    );
  });
});
