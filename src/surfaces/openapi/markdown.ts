import type { Describer, FieldDescription, OperationDescription, RecordDescription } from '../shared/description.ts';
import { toJson } from '../../kernel/render/json.ts';
import { toXml } from '../../kernel/render/xml.ts';
import { describeOperation, describeRecord } from './describe.ts';
import { sentObject } from './schema.ts';

/** Returns text escaped for a cell of a table. */
function cell(text: string): string {
  return text
    .replaceAll('|', String.raw`\|`)
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/`[^`]*`|</g, (found) => (found === '<' ? '&lt;' : found));
}

/** Returns a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---').join('|')}|`,
    ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
  ];
}

/** Returns text as code. */
export const code = (text: string): string => `\`${text}\``;

const classNames = { personal: 'Personal', staff: 'Only for users with universal access', secret: 'Secret' } as const;

/** Returns notes on a field besides its type, in one line. */
function notesOf(field: FieldDescription, needed: string): string {
  const { default: preset } = field;
  return [
    field.doc,
    ...(field.values ? [`One of ${field.values.map(code).join(', ')}.`] : []),
    ...(field.to === undefined ? [] : [`Points to ${field.to}.`]),
    ...(field.grantsReach ? ['The firm named here can see the record.'] : []),
    ...(preset === undefined
      ? []
      : [`Default: ${code(typeof preset === 'string' ? preset : JSON.stringify(preset))}.`]),
    ...(field.required ? [needed] : []),
    ...(field.computed ? ['*Computed.*'] : []),
    ...(field.classification === 'public' ? [] : [`*${classNames[field.classification]}.*`]),
  ].join(' ');
}

/** Returns the rows of a table of fields. */
export function fieldRows(fields: readonly FieldDescription[], needed = '**Required.**'): string[][] {
  return fields.map((field) => [code(field.name), field.type, notesOf(field, needed)]);
}

/** Returns who may call an operation, in words. */
export function accessOf({ access, permission }: OperationDescription): string {
  if (access === 'permission') return code(permission ?? '');
  return access === 'anonymous' ? 'none: anyone' : 'none: any signed-in user';
}

/** Returns what a call and a repeated call change, in words. */
function effectOf(of: OperationDescription): string {
  if (of.effect === 'read') return 'changes nothing';
  return of.idempotent
    ? 'changes data; a repeated call has no further effect'
    : 'changes data; a repeated call acts again, unless it carries the same `Idempotency-Key`';
}

/** What a section on an operation needs to know of its page. */
export interface SectionPlace {
  /** Address of the page of errors; without one, codes have no link. */
  readonly errors?: string;
  /** Address of a record type's page, which lists its columns; without one, they are listed here. */
  readonly columns?: string;
}

/** Returns the full description of one operation, without a heading. */
export function operationLines(of: OperationDescription, { errors, columns }: SectionPlace = {}): string[] {
  const { parameters, free } = of;
  return [
    of.summary,
    '',
    `- Route: \`${of.method} /api/${of.route}\`${of.byId ? '; an ID may follow' : ''}`,
    `- Permission: ${accessOf(of)}`,
    `- Effect: ${effectOf(of)}`,
    ...(of.rawBody ? ['- Body: the document itself; parameters go into the query'] : []),
    ...(of.form === undefined ? [] : [`- Answers ${of.form === 'xml' ? 'XML' : 'JSON'} whatever \`Output\` says`]),
    '- Errors besides the usual: ' +
      (of.errors
        .map((each) => (errors === undefined ? code(each.code) : `[${code(each.code)}](${errors})`))
        .join(', ') || 'none'),
    '',
    ...(parameters.length === 0 && free === undefined ? ['Takes no parameters.', ''] : []),
    ...(parameters.length > 0 ? [...table(['Parameter', 'Type', 'What it is'], fieldRows(parameters)), ''] : []),
    ...headerLines(of),
    ...(free === undefined
      ? []
      : [
          `Takes ${parameters.length > 0 ? 'beside them' : 'by name'}: ` +
            free.doc.replace(/^./, (first) => first.toLowerCase()),
          '',
        ]),
    ...answerLines(of, columns),
    ...exampleLines(of),
  ];
}

function headerLines({ headers }: OperationDescription): string[] {
  const names = Object.entries(headers).map(([header, parameter]) => `${code(header)} is ${code(parameter)}`);
  return names.length === 0
    ? []
    : [
        `Over HTTP these are also accepted as headers: ${names.join(', ')}. Text that is not ASCII is ` +
          'percent-encoded there, or in encoded words (RFC 2047).',
        '',
      ];
}

function answerLines({ answer }: OperationDescription, columns: string | undefined): string[] {
  const { kind, doc, fields } = answer;
  if (fields.length === 0 || (columns !== undefined && (doc === 'one record' || doc === 'a list of records')))
    return [
      'Answers ' +
        `${doc}${columns !== undefined && (kind === 'record' || kind === 'list') ? `: [its fields](${columns})` : ''}.`,
      '',
    ];
  return [`Answers ${doc}:`, '', ...table(['Field', 'Type', 'What it is'], fieldRows(fields, 'Always there.')), ''];
}

function exampleLines({ example, answer, form }: OperationDescription): string[] {
  const shown =
    answer.example &&
    (form === 'xml' ? toXml(answer.example, []) : JSON.stringify(JSON.parse(toJson(answer.example, [])), null, 2));
  return [
    '```sh',
    example.curl,
    '```',
    '',
    ...(example.signature === undefined ? [] : [`As a signature: \`${example.signature}\``, '']),
    ...(shown === undefined ? [] : ['An answer:', '', `\`\`\`${form === 'xml' ? 'xml' : 'json'}`, shown, '```', '']),
  ];
}

/** Returns the description of a record type, without a heading. */
function recordPage(of: RecordDescription): string {
  const facts: readonly (readonly [string, string])[] = [
    ['Derives from', of.derivesFrom ?? ''],
    ['Parent', of.belowAny ? 'any record' : ''],
    ['Template', of.template ?? ''],
    ['Collections', of.collections.map((each) => `${code(each.name)} (${each.record})`).join(', ')],
    ['Operations', of.operations.map((each) => code(each.route)).join(', ')],
  ];
  return [
    `# ${of.name}`,
    '',
    of.doc,
    '',
    ...facts.filter(([, text]) => text !== '').map(([name, text]) => `- ${name}: ${text}`),
    '',
    ...table(['Field', 'Type', 'What it is'], fieldRows(of.fields)),
    '',
  ].join('\n');
}

/** Descriptions of everything registered, for the surfaces that show them. */
export const describer: Describer = {
  operation: describeOperation,
  record: describeRecord,
  schema: sentObject,
  operationPage: (of) => [`# ${of.route}`, '', ...operationLines(of)].join('\n'),
  recordPage,
};
