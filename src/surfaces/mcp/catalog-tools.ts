import { toJson } from '../../kernel/render/json.ts';
import { f, required } from '../../kernel/declare/field.ts';
import type { FieldDescription, OperationDescription } from '../shared/description.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Operation } from '../../kernel/declare/operation.ts';
import { mayCall, resolveTarget, type Agent } from './agent.ts';
import { plainResult } from './result.ts';
import { argumentSchema, parseArguments, readOnly, type Tool } from './tool.ts';

/** Default and maximum number of operations per page. */
const PAGE_SIZE = 15;
const PAGE_SIZE_MAX = 50;
/** Most words in a search. */
const WORDS_MAX = 12;

/** Returns how an agent can call an operation. */
function toolFor(agent: Agent, operation: Operation): string {
  if (operation.body === 'raw') return 'none: its body is a document, which must be sent over HTTP';
  if (operation.effect === 'read') return 'run_read_operation';
  return agent.mayChange ? 'run_write_operation' : 'none: agents have read-only access on this installation';
}

const findFields = {
  words: f.text({
    doc: 'What the operation should do or concern, such as `search loans` or `hold a case`. By default all operations.',
    max: 200,
  }),
  module: f.text({ doc: 'Only operations of this module, such as `loan`.', max: 60 }),
  effect: f.choice(['read', 'write'], { doc: 'Only operations that change nothing, or only those that change data.' }),
  start: f.integer({ doc: 'How many to skip.', default: 0 }),
  size: f.integer({ doc: `How many to return, at most ${PAGE_SIZE_MAX}.`, default: PAGE_SIZE }),
};

/** Searches by words among the operations that the user may call. */
export function findOperations(agent: Agent): Tool {
  return {
    name: 'find_operations',
    title: 'Find operations',
    description:
      'Finds operations of Casewright by words. Returns for each its route, what it does and the tool that ' +
      'calls it. Finds only operations that you may call.',
    inputSchema: argumentSchema(agent, findFields),
    annotations: readOnly,
    run: (_agent, sent) => {
      const { words, module, effect, start, size } = parseArguments(agent, findFields, sent);
      const from = Math.max(0, start);
      const all = rankOperations(agent, words ?? '', { module: module ?? undefined, effect: effect ?? undefined });
      const page = all.slice(from, from + Math.min(PAGE_SIZE_MAX, Math.max(1, size)));
      const next = from + page.length;
      return Promise.resolve(
        plainResult({
          Total: all.length,
          Operations: page.map((operation) => ({
            Operation: operation.route,
            Summary: operation.summary,
            Effect: operation.effect,
            Tool: toolFor(agent, operation),
          })),
          ...(next < all.length ? { NextStart: next } : {}),
        }),
      );
    },
  };
}

/** Limits a search for operations to a module or an effect. */
interface OperationFilter {
  readonly module: string | undefined;
  readonly effect: string | undefined;
}

function rankOperations(agent: Agent, text: string, { module, effect }: OperationFilter): readonly Operation[] {
  const words = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])]
    .slice(0, WORDS_MAX)
    .map((word) => word.replace(/(?<=\p{L}{3})s$/u, ''));
  const own = agent.platform.registry
    .operations()
    .filter(
      (operation) =>
        (module === undefined || operation.module === module.toLowerCase()) &&
        (effect === undefined || operation.effect === effect) &&
        mayCall(agent, operation),
    );
  const scored = own
    .map((operation) => ({ operation, score: scoreOf(operation, words) }))
    .filter(({ score }) => words.length === 0 || score > 0);
  return scored
    .sort((a, b) => b.score - a.score || (a.operation.route < b.operation.route ? -1 : 1))
    .map(({ operation }) => operation);
}

/** A word in the route weighs more than one in the summary, and that more than one in the record type's description. */
function scoreOf({ route, module, name, summary, record }: Operation, words: readonly string[]): number {
  const [inRoute, inSummary, inDoc] = [route.toLowerCase(), summary.toLowerCase(), (record?.doc ?? '').toLowerCase()];
  const weightOf = (word: string): number => {
    if (word === module || word === name.toLowerCase()) return 6;
    if (inRoute.includes(word)) return 4;
    if (inSummary.includes(word)) return 2;
    return inDoc.includes(word) ? 1 : 0;
  };
  return words.reduce((score, word) => score + weightOf(word), 0);
}

const describeOperationFields = {
  operation: required(f.text({ doc: 'Its route, such as `contact/search`.', max: 200 })),
};

/** Describes one operation. */
export function describeOperation(agent: Agent): Tool {
  return {
    name: 'describe_operation',
    title: 'Describe an operation',
    description:
      "Returns an operation's parameters, results and possible errors, with an example of a call and of its response.",
    inputSchema: argumentSchema(agent, describeOperationFields),
    annotations: readOnly,
    run: async (_agent, sent) => {
      const { operation: named } = parseArguments(agent, describeOperationFields, sent);
      const { operation } = await resolveTarget(agent, named);
      if (!mayCall(agent, operation))
        throw new PlatformError('NO_PERMISSION', {
          field: 'operation',
          message: `You do not have permission to call ${operation.route}.`,
        });
      return plainResult(operationFacts(agent, operation));
    },
  };
}

function operationFacts(agent: Agent, operation: Operation): Readonly<Record<string, unknown>> {
  const of: OperationDescription = agent.describer.operation(agent.platform.registry, operation);
  return {
    Operation: of.route,
    Summary: of.summary,
    Effect: of.effect,
    Idempotent: of.idempotent,
    Tool: toolFor(agent, operation),
    Parameters: of.schema,
    ...(of.free ? { TakesToo: of.free.doc } : {}),
    Answer: {
      Kind: of.answer.doc,
      Fields: fieldFacts(of.answer.fields),
      ...(of.answer.example ? { Example: JSON.parse(toJson(of.answer.example, [])) as unknown } : {}),
    },
    Errors: Object.fromEntries(of.errors.map(({ code, text }) => [code, text])),
    Example: { operation: of.route, parameters: of.example.parameters },
  };
}

function fieldFacts(fields: readonly FieldDescription[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fields.map(({ name, type, doc, values, to }) => [
      name,
      `${type}. ${doc}${values ? ` One of ${values.join(', ')}.` : ''}${to === undefined ? '' : ` Points to ${to}.`}`,
    ]),
  );
}

const describeRecordFields = {
  record: f.text({ doc: 'The record type, such as `Loan`. Without it, all record types are listed.', max: 60 }),
};

/** Describes one record type, or lists them. */
export function describeRecord(agent: Agent): Tool {
  const { registry } = agent.platform;
  const readable = (module: string): boolean =>
    ['search', 'select'].some((name) => {
      const operation = registry.operation(`${module}/${name}`);
      return operation !== undefined && mayCall(agent, operation);
    });
  return {
    name: 'describe_record',
    title: 'Describe a record type',
    description:
      'Returns the fields of a record type, the records that it points to and its collections of children. ' +
      'Without a name, lists the record types.',
    inputSchema: argumentSchema(agent, describeRecordFields),
    annotations: readOnly,
    run: (_agent, sent) => {
      const { record: named } = parseArguments(agent, describeRecordFields, sent);
      if (typeof named !== 'string')
        return Promise.resolve(
          plainResult({
            Records: Object.fromEntries(
              registry
                .records()
                .filter(({ module }) => readable(module))
                .map(({ name, doc }) => [name, doc]),
            ),
          }),
        );
      const record = registry.requireRecord(named, 'record');
      if (!readable(record.module))
        throw new PlatformError('NO_PERMISSION', {
          field: 'record',
          message: `You do not have permission to read ${record.name} records.`,
        });
      const { name, doc, idField, belowAny, fields, collections, template } = agent.describer.record(registry, record);
      return Promise.resolve(
        plainResult({
          Record: name,
          Summary: doc,
          ID: idField,
          BelowAnyRecord: belowAny,
          ...(template === undefined ? {} : { Template: template }),
          Fields: fieldFacts(fields),
          Collections: Object.fromEntries(collections.map((each) => [each.name, each.record])),
        }),
      );
    },
  };
}
