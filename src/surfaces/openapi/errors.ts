import { errorTable, type ErrorCode } from '../../kernel/door/errors.ts';
import { ref, type Schema } from './schema.ts';

/** The correlation id of examples. */
const CORRELATION_ID = '00000000-0000-4000-8000-000000000001';

const allCodes = Object.keys(errorTable) as ErrorCode[];

const alert: Schema = {
  type: 'object',
  properties: {
    Code: { type: 'string', xml: { attribute: true } },
    ID: {
      type: 'integer',
      format: 'int64',
      description: 'The record that it is about, where a call names several.',
      xml: { attribute: true },
    },
    Text: { type: 'string' },
  },
  required: ['Code', 'Text'],
  xml: { name: 'Alert' },
};

const members: Schema = {
  Code: { type: 'string', enum: allCodes, description: 'Stable; programs decide by it.' },
  Status: { type: 'integer', description: 'The HTTP status.' },
  CorrelationID: { type: 'string', description: 'Finds the call in the logs; also in the header X-Correlation-ID.' },
  Message: { type: 'string', description: 'For people; the text may change.' },
  Field: { type: 'string', description: 'The parameter or column that is wrong, where it is one.' },
};

/** The schemas that all answers share: alerts, and the one shape of an error in JSON and XML. */
export const errorSchemas: Readonly<Record<string, Schema>> = {
  Alert: alert,
  Alerted: {
    type: 'object',
    properties: {
      Alerts: {
        type: 'array',
        items: ref('schemas', 'Alert'),
        description: 'Remarks that did not fail the call; left out where there are none.',
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
        description: 'Further members are facts about this error, such as what was expected.',
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
    value: `<Error Code="${code}" Status="${status}" CorrelationID="${CORRELATION_ID}"><Message>${text}</Message></Error>`,
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

/** What is told of a failure with a status of the error table: which codes it can have, each with an example. */
export function errorResponse(status: number): Schema {
  const codes = allCodes.filter((code) => errorTable[code].status === status);
  return response(codes.map((code) => `${code}: ${errorTable[code].text}`).join('\n\n'), codes);
}

/** The answer to whatever failure an operation does not name. */
export const otherError: Schema = response('Any other failure, in the one shape that all have.', allCodes);
