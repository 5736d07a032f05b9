import type { JsonSchema } from '../shared/description.ts';
import { timeZone } from '../../kernel/declare/core-settings.ts';
import { nearest, PlatformError } from '../../kernel/door/errors.ts';
import type { ParameterFields } from '../../kernel/declare/field-types.ts';
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

/** Values of a tool's arguments by name. */
export type Arguments = Readonly<Record<string, unknown>>;

/**
 * Parses a tool's arguments by declared fields. Objects, such as the parameters of a call, are passed on: their
 * operation parses them. Unknown names are errors that list the known ones.
 */
export function parseArguments(agent: Agent, fields: ParameterFields, sent: Arguments): Arguments {
  for (const name of Object.keys(sent)) {
    if (Object.hasOwn(fields, name)) continue;
    const near = nearest(name, Object.keys(fields));
    throw new PlatformError('UNKNOWN_PARAMETER', {
      field: name,
      message:
        `${name}: the tool takes no such ` +
        `argument.${near.length > 0 ? ` Did you mean ${near.join(' or ')}?` : ''} It takes ` +
        `${Object.keys(fields).join(', ')}.`,
    });
  }
  const zone = { timeZone: agent.platform.settings.get(timeZone) };
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const raw = sent[name];
      if (raw === undefined || raw === null) {
        if (field.required)
          throw new PlatformError('MISSING_PARAMETER', {
            field: name,
            message: `${name}: expected a value. ${field.doc}`,
          });
        return [name, field.default];
      }
      if (field.kind === 'json') return [name, objectArgument(name, raw)];
      return [name, parseValue(field, raw as RawValue, name, zone) ?? field.default];
    }),
  );
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
