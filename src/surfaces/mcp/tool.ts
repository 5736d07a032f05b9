import type { JsonSchema } from '../shared/description.ts';
import { timeZone } from '../../kernel/declare/core-settings.ts';
import { didYouMean, PlatformError } from '../../kernel/door/errors.ts';
import type { Field, ParameterFields, Parsed } from '../../kernel/declare/field-types.ts';
import { parseValue, type RawValue } from '../../kernel/parameters/parse-value.ts';
import type { Agent } from './agent.ts';
import { isJsonObject } from './protocol.ts';
import type { ToolResult } from './result.ts';

/** Hints on a tool's effect, for the person who lets an agent use it. */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Annotations of a tool that changes nothing. */
export const readOnly: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** A tool as agents see it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations: Annotations;
  readonly run: (agent: Agent, sent: Readonly<Record<string, unknown>>, correlationId: string) => Promise<ToolResult>;
}

/** A tool's arguments as sent. */
type SentArguments = Readonly<Record<string, unknown>>;

/**
 * Parses a tool's arguments by declared fields. Objects, such as the parameters of a call, are passed on: their
 * operation parses them. Unknown names are errors that list the known ones.
 */
export function parseArguments<F extends ParameterFields>(agent: Agent, fields: F, sent: SentArguments): Parsed<F> {
  for (const name of Object.keys(sent)) {
    if (Object.hasOwn(fields, name)) continue;
    throw new PlatformError('UNKNOWN_PARAMETER', {
      field: name,
      message:
        `${name}: the tool takes no such argument.${didYouMean(name, Object.keys(fields))} It takes ` +
        `${Object.keys(fields).join(', ')}.`,
    });
  }
  const zone = { timeZone: agent.platform.settings.get(timeZone) };
  const parsed = Object.entries(fields).map(([name, field]) => [name, parseArgument(name, field, sent[name], zone)]);
  return Object.fromEntries(parsed) as Parsed<F>;
}

/** Returns an argument, or its default. Throws MISSING_PARAMETER for a required one that is missing or empty. */
function parseArgument(name: string, field: Field, raw: unknown, zone: { readonly timeZone: string }): unknown {
  if (field.kind === 'json' && raw !== undefined && raw !== null) return objectArgument(name, raw);
  const value = raw === undefined || raw === null ? null : parseValue(field, raw as RawValue, name, zone);
  if (value === null && field.required)
    throw new PlatformError('MISSING_PARAMETER', {
      field: name,
      message: `${name}: expected a value. ${field.doc}`,
    });
  return value ?? field.default;
}

function objectArgument(name: string, raw: unknown): unknown {
  if (isJsonObject(raw)) return raw;
  throw new PlatformError('BAD_PARAMETER', {
    field: name,
    message: `${name}: expected an object of names and values.`,
  });
}

/** Returns the schema of a tool's arguments: no additional properties, except in objects with free names. */
export function argumentSchema(agent: Agent, fields: ParameterFields): JsonSchema {
  const { properties, ...rest } = agent.describer.schema(fields);
  const typed = Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => [
    name,
    fields[name]?.kind === 'json' ? { type: 'object', additionalProperties: true, ...schema } : schema,
  ]);
  return { ...rest, properties: Object.fromEntries(typed), additionalProperties: false };
}
