import type { Context } from '../../../../kernel/door/context.ts';
import { PlatformError } from '../../../../kernel/door/errors.ts';
import { isConfiguration } from '../../../../kernel/declare/record.ts';
import { type Values, valueAfter } from '../../../../kernel/declare/values.ts';
import { bad } from '../../../../kernel/parameters/parse-value.ts';
import { readColumns } from '../../../../kernel/records/search/read.ts';
import { matrix } from '../matrix.record.ts';
import { CriteriaError, parseCriteria } from './criteria.ts';

const options = ['ApplyOn', 'ApplyCriteria', 'ApplySequence', 'ApplyUseSummary', 'ApplyThrowIfError'] as const;
const columns = ['AppliesTo', ...options] as const;

/**
 * Checks to which records a matrix applies itself, and stores their type in its declared spelling.
 * @throws MISSING_PARAMETER, BAD_PARAMETER
 */
export async function checkApplication(
  ctx: Context,
  values: Values<typeof matrix>,
  id: number | undefined,
): Promise<void> {
  if (columns.every((name) => values[name] === undefined)) return;
  const before = id === undefined ? undefined : await readColumns(ctx.db, matrix, id, columns);
  const appliesTo = (valueAfter(values, before, 'AppliesTo') ?? '').trim();
  if (appliesTo === '') {
    const option = options.find((name) => (values[name] ?? null) !== null);
    if (option === undefined) return;
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'AppliesTo',
      message: `AppliesTo is required with ${option}: the record type to which the matrix applies itself.`,
    });
  }
  const record = ctx.registry.requireRecord(appliesTo, 'AppliesTo');
  if (isConfiguration(record) || !ctx.registry.find(record.module, 'save'))
    throw bad('AppliesTo', `a type of records that rule sets may change; ${record.name} is not one`);
  if (values.AppliesTo !== undefined) values.AppliesTo = record.name;
  const criteria = valueAfter(values, before, 'ApplyCriteria');
  try {
    if (typeof criteria === 'string') parseCriteria(criteria, record);
  } catch (error) {
    if (error instanceof CriteriaError) throw bad('ApplyCriteria', error.expected);
    throw error;
  }
}
