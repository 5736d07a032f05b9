import { defineCallSource } from '../../../kernel/declare/call-source.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { bad } from '../../../kernel/parameters/parse-value.ts';
import { defineCheck } from '../../../kernel/declare/reaction.ts';
import type { RecordType } from '../../../kernel/declare/record.ts';
import { readRecord } from '../../../kernel/records/search/read.ts';
import { checkSignature, fillSignature } from '../../../kernel/door/signature.ts';
import type { Context } from '../../../kernel/door/context.ts';
import { columnText } from '../lib/column-text.ts';
import { assertTeam } from '../smartworklistmember/lib/teams.ts';
import { checkMemberUrl } from './lib/member-url.ts';
import { smartWorklistTemplate } from './smartworklisttemplate.record.ts';
import { valueAfter } from '../../../kernel/declare/values.ts';
import type { ColumnName } from '../../../kernel/declare/columns.ts';

/** Checks a search that runs later without a record: a search on SourceObject without merge fields. */
async function checkMethod(ctx: Context, method: string, source: RecordType | undefined): Promise<void> {
  if (!source)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'SourceObject',
      message: 'SourceObject is required with CalculateMethod: the record type to search.',
    });
  const at = method.indexOf('?');
  const signature = await checkSignature(ctx, `${source.name}/Search${at < 0 ? '' : method.slice(at)}`, {
    field: 'CalculateMethod',
  });
  await fillSignature(signature, (expression) => {
    throw new PlatformError('BAD_SIGNATURE', {
      field: 'CalculateMethod',
      message:
        `CalculateMethod: {${expression.slice(0, 100)}} cannot be filled in: a queue is not calculated ` +
        'for a record.',
    });
  });
}

function checkAssignee(field: string, source: RecordType | undefined): string {
  if (!source)
    throw new PlatformError('MISSING_PARAMETER', {
      field: 'SourceObject',
      message: 'SourceObject is required with OnAssignSourcePerson: the record type that has the field.',
    });
  const persons = [...source.columns.values()]
    .filter((column) => column.field.to === 'Person' && !column.field.computed)
    .map(({ name }) => name);
  const found = persons.find((name) => name.toLowerCase() === field.trim().toLowerCase());
  if (found === undefined)
    throw bad(
      'OnAssignSourcePerson',
      persons.length === 0
        ? `no value: ${source.name} has no field for a user`
        : `a field of ${source.name} for a user: ${persons.join(', ')}`,
    );
  return found;
}

export const checks = [
  defineCheck({
    on: smartWorklistTemplate,
    doc:
      'SourceObject is a record type, CalculateMethod a search on it without merge fields, ' +
      'OnAssignSourcePerson a field of it for a user, MemberUrl a safe address, and the team a ' +
      'collection of users.',
    async run(ctx, { values, id }) {
      const stored = id === undefined ? undefined : await readRecord(ctx.db, smartWorklistTemplate, id);
      const settled = (name: ColumnName<typeof smartWorklistTemplate>): string =>
        columnText(valueAfter(values, stored, name)).trim();
      const source =
        settled('SourceObject') === ''
          ? undefined
          : ctx.registry.requireRecord(settled('SourceObject'), 'SourceObject');
      if (source && values.SourceObject !== undefined) values.SourceObject = source.name;
      const isTouched = (name: ColumnName<typeof smartWorklistTemplate>): boolean =>
        values[name] !== undefined || values.SourceObject !== undefined;
      if (isTouched('CalculateMethod') && settled('CalculateMethod') !== '')
        await checkMethod(ctx, settled('CalculateMethod'), source);
      if (isTouched('OnAssignSourcePerson') && settled('OnAssignSourcePerson') !== '')
        values.OnAssignSourcePerson = checkAssignee(settled('OnAssignSourcePerson'), source);
      if (isTouched('MemberUrl') && settled('MemberUrl') !== '')
        values.MemberUrl = checkMemberUrl(settled('MemberUrl'), ctx.registry.recordType('SmartWorklistMember'), source);
      const team = values.TeamID;
      if (typeof team === 'number') await assertTeam(ctx.db, team, 'TeamID');
    },
  }),
];

export const callSources = [
  defineCallSource({
    on: smartWorklistTemplate,
    doc: 'The CalculateMethod of a queue type searches records of SourceObject.',
    calls: (_ctx, { CalculateMethod, SourceObject }) =>
      CalculateMethod === null || SourceObject === null
        ? []
        : [{ field: 'CalculateMethod', signature: `${SourceObject}/search`, basis: CalculateMethod }],
  }),
];
