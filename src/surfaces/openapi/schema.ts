import type { Field, ParameterFields } from '../../kernel/declare/field-types.ts';
import { ID_LIST_MAX } from '../../kernel/parameters/parse-value.ts';

/** A JSON Schema (2020-12), as OpenAPI 3.1 uses it. */
export type Schema = Readonly<Record<string, unknown>>;

const INTEGER_MAX = 2_147_483_647;

/** Returns a reference to a named component: `ref('schemas', 'Contact')`. */
export function ref(
  kind: 'schemas' | 'parameters' | 'responses' | 'requestBodies' | 'headers',
  name: string,
): { readonly $ref: string } {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Returns a field's description: its doc and, for an ID, the record type that it points to. */
export function describe(field: Field): string {
  return field.to === undefined ? field.doc : `${field.doc} Points to ${field.to}.`;
}

/**
 * Returns the schema of a value that a caller may send. The platform also accepts numbers and booleans as text, words
 * in any case, and a comma-separated text for a list.
 */
export function sentSchema(field: Field): Schema {
  const { default: preset } = field;
  return { ...sentType(field), description: describe(field), ...(preset === undefined ? {} : { default: preset }) };
}

function sentType(field: Field): Schema {
  switch (field.kind) {
    case 'text':
      return sentText(field);
    case 'integer':
      return { type: 'integer', format: 'int32', minimum: -INTEGER_MAX, maximum: INTEGER_MAX };
    case 'id':
      return { type: 'integer', format: 'int64', minimum: 1 };
    case 'idList':
      return {
        type: 'array',
        items: { type: 'integer', format: 'int64', minimum: 1 },
        minItems: 1,
        maxItems: field.max ?? ID_LIST_MAX,
      };
    case 'textList':
      return { type: 'array', items: { type: 'string' } };
    case 'decimal':
    case 'money':
      return { type: ['number', 'string'], format: 'decimal' };
    case 'boolean':
      return { type: 'boolean' };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'timestamp':
      return { type: 'string', format: 'date-time' };
    case 'xml':
      return { type: 'string', contentMediaType: 'application/xml' };
    case 'json':
      return {};
    case 'ssn':
      return { type: 'string', pattern: String.raw`^(\d{9}|\d{3}-\d{2}-\d{4})$`, writeOnly: true };
  }
}

function sentText({ values, max, classification }: Field): Schema {
  if (values) return { type: 'string', enum: values };
  return {
    type: 'string',
    ...(max === undefined ? {} : { maxLength: max }),
    ...(classification === 'secret' ? { writeOnly: true, format: 'password' } : {}),
  };
}

/**
 * Returns the schema of a field in a JSON response; in XML every value is text. A member without a value is omitted.
 */
export function answeredSchema(field: Field): Schema {
  return { ...answeredType(field), description: describe(field) };
}

function answeredType(field: Field): Schema {
  switch (field.kind) {
    case 'id':
      return { type: 'integer', format: 'int64' };
    case 'decimal':
    case 'money':
      return { type: 'number', format: 'decimal' };
    case 'ssn':
      return { type: 'string', pattern: '^XXX-XX-[0-9X]{4}$' };
    case 'text':
      return field.values ? { type: 'string', enum: field.values } : { type: 'string' };
    case 'integer':
    case 'idList':
    case 'textList':
    case 'boolean':
    case 'date':
    case 'timestamp':
    case 'xml':
    case 'json':
      return sentType(field);
  }
}

/** Returns the schema of an object of named fields that a caller sends. */
export function sentObject(fields: ParameterFields): Schema {
  const required = Object.entries(fields)
    .filter(([, field]) => field.required)
    .map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, sentSchema(field)])),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** Returns the schema of an object of declared results; required ones are always present. */
export function answeredObject(fields: ParameterFields): Schema {
  const required = Object.entries(fields)
    .filter(([, field]) => field.required)
    .map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, answeredSchema(field)])),
    ...(required.length > 0 ? { required } : {}),
  };
}
