import { errorTable, type ErrorCode } from '../../kernel/door/errors.ts';
import { ref, type Schema } from './schema.ts';

/** Correlation ID of examples. */
const CORRELATION_ID = '00000000-0000-4000-8000-000000000001';

const allCodes = Object.keys(errorTable) as ErrorCode[];

const alert: Schema = {
  type: 'object',
  properties: {
    Code: { type: 'string', xml: { attribute: true } },
    ID: {
      type: 'integer',
      format: 'int64',
      description: 'The record concerned, if a call names several.',
      xml: { attribute: true },
    },
    Text: { type: 'string' },
  },
  required: ['Code', 'Text'],
  xml: { name: 'Alert' },
};

const members: Schema = {
  Code: { type: 'string', enum: allCodes, description: 'Stable; programs should decide by it.' },
  Status: { type: 'integer', description: 'The HTTP status.' },
  CorrelationID: {
    type: 'string',
    description: 'Identifies the call in the logs; also in the header X-Correlation-ID.',
  },
  Message: { type: 'string', description: 'For people; the text may change.' },
  Field: { type: 'string', description: 'The invalid parameter or column, if there is one.' },
};

/** Schemas that all responses share: warnings, and the common shape of errors in JSON and XML. */
export const errorSchemas: Readonly<Record<string, Schema>> = {
  Alert: alert,
  Alerted: {
    type: 'object',
    properties: {
      Alerts: {
        type: 'array',
        items: ref('schemas', 'Alert'),
        description: 'Warnings that did not fail the call; absent if there are none.',
      },
    },
  },
  Error: {
    type: 'object',
    allOf: [ref('schemas', 'Alerted')],
    properties: {
      Error: {
        type: 'object',
        properties: members,
        required: ['Code', 'Status', 'CorrelationID', 'Message'],
        description: 'Further members are details of this error, such as the expected value.',
      },
    },
    required: ['Error'],
  },
  ErrorXml: {
    type: 'object',
    properties: {
      ...Object.fromEntries(
        ['Code', 'Status', 'CorrelationID'].map((name) => [
          name,
          { ...(members[name] as Schema), xml: { attribute: true } },
        ]),
      ),
      Alerts: { type: 'array', items: ref('schemas', 'Alert'), xml: { wrapped: true } },
      Message: members['Message'],
      Field: members['Field'],
    },
    required: ['Code', 'Status', 'CorrelationID', 'Message'],
    xml: { name: 'Error' },
  },
};

function example(code: ErrorCode): { readonly summary: string; readonly value: unknown } {
  const { status, text } = errorTable[code];
  return {
    summary: text,
    value: { Error: { Code: code, Status: status, CorrelationID: CORRELATION_ID, Message: text } },
  };
}

function xmlExample(code: ErrorCode): { readonly summary: string; readonly value: string } {
  const { status, text } = errorTable[code];
  return {
    summary: text,
    value:
      `<Error Code="${code}" Status="${status}" ` +
      `CorrelationID="${CORRELATION_ID}"><Message>${text}</Message></Error>`,
  };
}

function response(description: string, codes: readonly ErrorCode[]): Schema {
  return {
    description,
    headers: { 'X-Correlation-ID': ref('headers', 'X-Correlation-ID') },
    content: {
      'text/xml': {
        schema: ref('schemas', 'ErrorXml'),
        examples: Object.fromEntries(codes.map((code) => [code, xmlExample(code)])),
      },
      'application/problem+json': {
        schema: ref('schemas', 'Error'),
        examples: Object.fromEntries(codes.map((code) => [code, example(code)])),
      },
    },
  };
}

/** Describes a failure with a status of the error table: its possible codes, each with an example. */
export function errorResponse(status: number): Schema {
  const codes = allCodes.filter((code) => errorTable[code].status === status);
  return response(codes.map((code) => `${code}: ${errorTable[code].text}`).join('\n\n'), codes);
}

/** Describes the response to a failure that an operation does not declare. */
export const otherError: Schema = response('Any other failure, in the common shape of errors.', allCodes);
