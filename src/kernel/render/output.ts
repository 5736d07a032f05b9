import type { Answer } from '../door/answer.ts';
import { PlatformError, type Alert } from '../door/errors.ts';
import { escapeAttribute, escapeText } from '../xml/element.ts';
import { csvParts, toCsv } from './csv.ts';
import { errorHtml, PAGE_POLICY, toHtml } from './html.ts';
import { jsonParts, toJson } from './json.ts';
import { listPieces } from './list-parts.ts';
import { alertsXml, toXml, treePieces, XML_DECLARATION, xmlParts } from './xml.ts';

/** Output forms that a caller can choose with `Output`. */
export type Output = 'Xml' | 'Json' | 'JsonP' | 'Csv' | 'Html' | 'XHtml';

/** All output forms, in the order in which error messages list them. */
export const outputs: readonly Output[] = ['Xml', 'Json', 'JsonP', 'Csv', 'Html', 'XHtml'];

/** Parses the `Output` parameter. Throws for an unknown form, listing the known ones. */
export function parseOutput(text: string | undefined, otherwise: Output): Output {
  if (text === undefined || text === '') return otherwise;
  const output = outputs.find((o) => o.toLowerCase() === text.toLowerCase());
  if (!output)
    throw new PlatformError('BAD_OUTPUT', {
      field: 'Output',
      message: `Output: expected one of ${outputs.join(', ')}.`,
    });
  return output;
}

/**
 * Parses the name of a JSONP callback. Accepts only dotted JavaScript names, so that no other code can precede the
 * data.
 */
export function parseCallback(text: string | undefined): string {
  const name = text === undefined || text === '' ? 'callback' : text;
  if (!/^[A-Za-z_$][\w$]*(\.[A-Za-z_$][\w$]*){0,5}$/.test(name) || name.length > 100)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'callback',
      message: 'callback: expected a JavaScript function name.',
    });
  return name;
}

/** A rendered body and its type. */
export interface RenderedBody {
  readonly mime: string;
  readonly body: string;
  /** Content security policy of a page. */
  readonly policy?: string;
}

/** MIME types of data. */
const mimeTypes = {
  Xml: 'text/xml; charset=utf-8',
  Json: 'application/json; charset=utf-8',
  Csv: 'text/csv; charset=utf-8',
} as const;

/** MIME types of pages. */
export const pageTypes = { Html: 'text/html; charset=utf-8', XHtml: 'application/xhtml+xml; charset=utf-8' } as const;

/** Whether an output is a page, which a stylesheet may produce. */
export function isPage(output: Output): output is 'Html' | 'XHtml' {
  return output === 'Html' || output === 'XHtml';
}

/** Renders an answer. */
export function render(
  answer: Exclude<Answer, { kind: 'content' }>,
  alerts: readonly Alert[],
  output: Output,
  callback: string,
): RenderedBody {
  switch (output) {
    case 'Xml':
      return { mime: mimeTypes.Xml, body: toXml(answer, alerts) };
    case 'Json':
      return { mime: mimeTypes.Json, body: toJson(answer, alerts) };
    case 'JsonP':
      return { mime: 'text/javascript; charset=utf-8', body: jsonp(callback, toJson(answer, alerts)) };
    case 'Csv':
      return { mime: mimeTypes.Csv, body: toCsv(answer) };
    case 'Html':
    case 'XHtml':
      return { mime: pageTypes[output], body: toHtml(answer, alerts, output), policy: PAGE_POLICY };
  }
}

/**
 * Renders an answer that is still being read, piece by piece. Undefined for any other answer, and for formats that are
 * rendered as a whole: pages, JSON with a callback, and all but XML for a tree.
 */
export function renderPieces(
  answer: Answer,
  alerts: readonly Alert[],
  output: Output,
): { readonly mime: string; readonly pieces: AsyncIterable<string> } | undefined {
  if (answer.kind === 'tree' && answer.whole && output === 'Xml')
    return { mime: mimeTypes.Xml, pieces: treePieces(answer.whole, alerts) };
  if (answer.kind !== 'list' || !answer.more) return undefined;
  switch (output) {
    case 'Xml':
      return { mime: mimeTypes.Xml, pieces: listPieces(answer, xmlParts(answer, alerts)) };
    case 'Json':
      return { mime: mimeTypes.Json, pieces: listPieces(answer, jsonParts(answer, alerts)) };
    case 'Csv':
      return { mime: mimeTypes.Csv, pieces: listPieces(answer, csvParts(answer)) };
    default:
      return undefined;
  }
}

function jsonp(callback: string, json: string): string {
  // U+2028 and U+2029 end lines in older JavaScript. The leading comment prevents reading the body as another type.
  return `/**/${callback}(${json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')});`;
}

/** Renders an error in the requested format. For Csv it is XML, for pages a page. */
export function renderError(
  error: PlatformError,
  correlationId: string,
  output: Output,
  callback: string,
): RenderedBody {
  if (output === 'Json' || output === 'JsonP') {
    const body = JSON.stringify({
      Error: {
        Code: error.code,
        Status: error.status,
        CorrelationID: correlationId,
        Message: error.message,
        ...(error.field === undefined ? {} : { Field: error.field }),
        ...(error.details ?? {}),
      },
      ...(error.alerts.length > 0
        ? {
            Alerts: error.alerts.map((a) => ({
              Code: a.code,
              ...(a.id === undefined ? {} : { ID: a.id }),
              Text: a.text,
            })),
          }
        : {}),
    });
    return output === 'Json'
      ? { mime: 'application/problem+json; charset=utf-8', body }
      : { mime: 'text/javascript; charset=utf-8', body: jsonp(callback, body) };
  }
  if (isPage(output))
    return { mime: pageTypes[output], body: errorHtml(error, correlationId, output), policy: PAGE_POLICY };
  const field = error.field === undefined ? '' : `<Field>${escapeText(error.field)}</Field>`;
  const details = Object.entries(error.details ?? {})
    .map(([name, value]) => {
      const text = Array.isArray(value) ? value.join(', ') : String(value);
      return `<Detail Name="${escapeAttribute(name)}">${escapeText(text)}</Detail>`;
    })
    .join('');
  const attributes = [
    `Code="${error.code}"`,
    `Status="${error.status}"`,
    `CorrelationID="${escapeAttribute(correlationId)}"`,
  ];
  const message = `<Message>${escapeText(error.message)}</Message>`;
  const content = `${alertsXml(error.alerts)}${message}${field}${details}`;
  return {
    mime: 'text/xml; charset=utf-8',
    body: `${XML_DECLARATION}<Error ${attributes.join(' ')}>${content}</Error>`,
  };
}
