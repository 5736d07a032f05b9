import { item, list, type Answer, type Row, type Shape } from '../../kernel/door/answer.ts';
import { computed, f } from '../../kernel/declare/field.ts';
import type { ParameterFields } from '../../kernel/declare/field-types.ts';
import type { Operation } from '../../kernel/declare/operation.ts';
import type { RecordType } from '../../kernel/declare/record.ts';
import { toJson } from '../../kernel/render/json.ts';
import { toXml } from '../../kernel/render/xml.ts';
import { answeredExample } from './examples.ts';
import { shownInExample } from './records.ts';

type ExampleAnswer = Exclude<Answer, { kind: 'content' | 'nothing' }>;

/**
 * Returns an example of an operation's result. It is rendered by the platform's own renderers, so in each format it has
 * the shape of a real response.
 */
export function exampleAnswer(operation: Operation): ExampleAnswer | undefined {
  const { returns, record, rows, answerName } = operation;
  const name = answerName ?? record?.name ?? operation.module.charAt(0).toUpperCase() + operation.module.slice(1);
  if (typeof returns === 'object') return item(name, returns, rowOf(returns));
  switch (returns) {
    case 'item':
      return record && exampleItem(record);
    case 'list':
      return rows ? list(name, rows, [rowOf(rows)]) : record && exampleList(record);
    case 'tree':
      return exampleTree(operation);
    case 'content':
    case 'nothing':
      return undefined;
  }
}

function exampleTree(operation: Operation): ExampleAnswer | undefined {
  const { example, record } = operation;
  if (example) return { kind: 'tree', root: example };
  return record && isRecordTree(operation) ? exampleSummary(record) : undefined;
}

function rowOf(fields: ParameterFields): Row {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, answeredExample(name, field)]));
}

function shapeOfExample(record: RecordType): Shape {
  return shownInExample(record).map(({ name, field }) => ({ name, field }));
}

function recordRow(record: RecordType): Row {
  return Object.fromEntries(shownInExample(record).map(({ name, field }) => [name, answeredExample(name, field)]));
}

const counted: Shape = [{ name: 'RecordCount', field: computed(f.integer({ doc: 'The total before paging.' })) }];

/** Returns an example of one record. */
export function exampleItem(record: RecordType): ExampleAnswer {
  return { kind: 'item', name: record.name, shape: shapeOfExample(record), row: recordRow(record) };
}

/** Returns an example of a page of records. */
export function exampleList(record: RecordType): ExampleAnswer {
  return {
    kind: 'list',
    name: record.name,
    shape: [...shapeOfExample(record), ...counted],
    rows: [{ ...recordRow(record), RecordCount: 1 }],
  };
}

/**
 * Whether an operation returns a record with its children, whose form follows from the record type. Other operations
 * have their own form.
 */
export function isRecordTree({ record, returns, answerName }: Operation): boolean {
  return record !== undefined && returns === 'tree' && answerName === undefined;
}

/** Returns an example of a summary: the record alone. */
export function exampleSummary(record: RecordType): ExampleAnswer {
  const row = recordRow(record);
  return {
    kind: 'tree',
    root: {
      name: `${record.name}Item`,
      children: shapeOfExample(record).map(({ name, field }) => ({ name, value: row[name], field })),
    },
  };
}

/** Returns an example in each format of the document, as the platform's renderers write it. */
export function writtenExample(answer: ExampleAnswer): { readonly json: unknown; readonly xml: string } {
  return { json: JSON.parse(toJson(answer, [])), xml: toXml(answer, []) };
}
