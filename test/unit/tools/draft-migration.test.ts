import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { declarations } from '../../../src/app/catalog.gen.ts';

describe('npm run draft-migration', () => {
  it('finds no column of any record type that db/schema.sql lacks', async () => {
    const names = declarations.records.map(({ table }) => table);
    const args = ['tools/draft-migration.ts', '--print', ...names];
    await assert.rejects(
      promisify(execFile)(process.execPath, args),
      /The tables have all columns of their record types already/,
    );
  });
});
