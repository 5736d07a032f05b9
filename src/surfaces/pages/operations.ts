import type { Describer, FieldDescription, OperationDescription } from '../shared/description.ts';
import type { CallOutcome } from '../../kernel/door/call.ts';
import type { ContentAnswer } from '../../kernel/door/answer.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Operation } from '../../kernel/declare/operation.ts';
import { mergeParameters, parametersFromQuery, type Parameters } from '../../kernel/parameters/parameters.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { parseOutput, render, type Output } from '../../kernel/render/output.ts';
import { badge } from './design/badge.ts';
import { banner } from './design/banner.ts';
import { button } from './design/button.ts';
import { card } from './design/card.ts';
import { selectField, textAreaField, textField } from './design/field.ts';
import { table } from './design/table.ts';
import { csrfField } from './layout.ts';
import { errorNote } from './notes.ts';
import { placeOfOperation } from './operation-places.ts';
import type { PageAnswer, PageCall } from './page-call.ts';
import { page, type Page } from './page.ts';
import { plainText } from './plain-text.ts';

/** Formats in which the page shows an answer. */
const SHOWN_OUTPUTS: readonly Output[] = ['Json', 'Xml', 'Csv'];
/** Longer answers are cut; the command below them returns the whole. */
const ANSWER_CHARACTERS_MAX = 200_000;

/**
 * Returns the pages that list the operations that the user may call and let them be tried. `describer` is that of the
 * OpenAPI document.
 */
export function operationPages(describer: Describer): Readonly<Record<string, Page>> {
  return {
    '/operations': page((call) =>
      Promise.resolve({ title: 'Operations', place: 'none', body: html`<div class="page">${listBody(call)}</div>` }),
    ),
    '/operations/:module/*': page((call) => Promise.resolve(operationAnswer(call, describer, operationOf(call), {}))),
    'POST /operations/:module/*': page((call) => tryOperation(call, describer, operationOf(call))),
  };
}

function mayCall({ user }: PageCall, operation: Operation): boolean {
  return operation.access !== 'permission' || user.permissions.has(operation.permissionName);
}

/** Returns the operation of the address. @throws UNKNOWN_OPERATION also where it exists but the user may not call it */
function operationOf(call: PageCall): Operation {
  const { module = '', '*': path = '' } = call.path;
  const operation =
    call.platform.registry.operation(`${module.toLowerCase()}/${path}`) ??
    call.platform.registry.operation(`${module.toLowerCase()}/${path.toLowerCase()}`);
  if (!operation || !mayCall(call, operation)) throw new PlatformError('UNKNOWN_OPERATION');
  return operation;
}

function listBody(call: PageCall): Markup {
  const text = plainText(call.query['Text']).trim();
  const words = text.toLowerCase().split(/\s+/);
  const shown = call.platform.registry
    .operations()
    .filter(
      (operation) =>
        mayCall(call, operation) &&
        words.every((word) => `${operation.route} ${operation.summary}`.toLowerCase().includes(word)),
    );
  const groups = Object.entries(Object.groupBy(shown, (operation) => operation.record?.name ?? operation.module)).sort(
    ([a], [b]) => a.localeCompare(b),
  );
  return html`<h1>Operations</h1>
<p class="prose soft">
  Everything you can call here or over HTTP. <a href="/api/openapi.json">Download as OpenAPI</a>.
</p>
<form class="row wrap" action="/operations" method="get" role="search" aria-label="Operations">
${textField({
  label: 'Find operations',
  name: 'Text',
  id: 'text',
  type: 'search',
  value: text,
  attributes: html`placeholder="Try contact search"`,
})}
${button({ text: 'Find', icon: 'search' })}
</form>
<p class="muted" role="status">${shown.length} operations</p>
${groups.map(([name, operations]) => operationGroup(call.platform.registry.titleOf(name), name, operations ?? []))}`;
}

function operationGroup(title: string, name: string, operations: readonly Operation[]): Markup {
  const entry = ({ route, summary, effect }: Operation): Markup =>
    html`<tr><th scope="row"><a href="/operations/${route}"><code>${route}</code></a></th>
<td>${effectBadge(effect)}</td><td>${summary}</td></tr>\n`;
  return card({
    id: `m-${name}`,
    title,
    note: operations.length,
    body: table({
      label: `Operations of ${title}`,
      className: 'wrap',
      heads: ['Operation', 'Effect', 'What it does'],
      rows: operations.map(entry),
    }),
  });
}

/** A call of an operation from its page: its parameters, and its result. */
interface OperationTrial {
  readonly sent?: Parameters;
  readonly output?: string;
  readonly result?: Markup;
  readonly status?: number;
}

/** Calls the operation as the user, and shows the answer on the page. */
async function tryOperation(call: PageCall, describer: Describer, operation: Operation): Promise<PageAnswer> {
  const output = plainText(call.form['Output']) || 'Json';
  const trial = { sent: call.form, output };
  try {
    const outcome = await callTried(call, operation);
    return operationAnswer(call, describer, operation, { ...trial, result: await resultMarkup(outcome, output) });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return operationAnswer(call, describer, operation, {
      ...trial,
      status: error.status,
      result: html`${errorNote(error.masked())}
<p class="muted">${error.status} <code>${error.code}</code></p>`,
    });
  }
}

/**
 * Calls an operation with the fields that were filled in and the additional parameters, at once or through its queue.
 */
function callTried(call: PageCall, operation: Operation): Promise<CallOutcome> {
  const { Output: _output, More: more, Queued: queued, ...form } = call.form;
  const filled = Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''));
  const sent = mergeParameters(parametersFromQuery(queryFromLines(plainText(more))), filled);
  const route = operation.route.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(plainText(sent[name])),
  );
  const [module = '', ...path] = route.split('/');
  return call.callNamed(queued === 'true' ? `${module}/queue/${path.join('/')}` : route, sent);
}

async function resultMarkup({ answer, alerts, queued }: CallOutcome, output: string): Promise<Markup> {
  if (answer.kind === 'content') {
    await discard(answer);
    const name = answer.fileName ?? answer.mime;
    return html`<p role="status">The answer is a file, ${name}. Use the command below to download it.</p>`;
  }
  const { body } = render(answer, alerts, parseOutput(output, 'Json'), 'callback');
  const shown = output === 'Json' && body !== '' ? JSON.stringify(JSON.parse(body), null, 2) : body;
  return html`<p role="status">${queued ? 'Queued' : 'Done'}</p>
<pre tabindex="0" role="region" aria-label="Answer"><code>${shown.slice(0, ANSWER_CHARACTERS_MAX)}</code></pre>`;
}

/** Closes a content answer that is not sent. */
async function discard({ bytes }: ContentAnswer): Promise<void> {
  if (typeof bytes !== 'string' && Symbol.asyncIterator in bytes) await bytes[Symbol.asyncIterator]().return?.();
}

/** Turns lines of `Name=value` into a query. @throws BAD_PARAMETER for a line that is not */
function queryFromLines(text: string): string {
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const at = line.indexOf('=');
      if (at < 1)
        throw new PlatformError('BAD_PARAMETER', {
          field: 'More',
          message: `More parameters: expected Name=value on each line, got "${line.slice(0, 60)}".`,
        });
      return `${encodeURIComponent(line.slice(0, at).trim())}=${encodeURIComponent(line.slice(at + 1))}`;
    })
    .join('&');
}

function operationAnswer(
  call: PageCall,
  describer: Describer,
  operation: Operation,
  trial: OperationTrial,
): PageAnswer {
  const description = describer.operation(call.platform.registry, operation);
  const { route, effect, summary, example, answer } = description;
  const body = html`<h1 class="row wrap"><code>${route}</code> ${effectBadge(effect)}</h1>
<p>${summary}</p>
${permissionNote(description)}
${placeNote(route)}
${trial.result && section('answer', 'Answer', trial.result)}
${section('try', 'Try it', description.rawBody ? rawBodyNote : tryForm(call, description, trial))}
${section('command', 'Command', commandMarkup(example))}
${answer.fields.length > 0 && section('fields', `Returns ${answer.doc}`, fieldTable(answer.fields))}`;
  return {
    title: route,
    place: 'none',
    crumbs: [{ text: 'Operations', href: '/operations' }, { text: route }],
    status: trial.status ?? 200,
    body: html`<div class="page">${body}</div>`,
  };
}

const rawBodyNote = html`<p>This operation takes a document or file as its body. The command below shows how.</p>`;

function section(id: string, title: string, content: Markup): Markup {
  return card({ id, title, body: html`<div class="card-body stack">${content}</div>` });
}

function permissionNote({ permission, idempotent }: OperationDescription): Markup | false {
  const idempotence = idempotent && ' · sending it twice has the same effect as sending it once';
  return permission !== undefined && html`<p class="muted">Permission <code>${permission}</code>${idempotence}</p>`;
}

/** Says where the console offers the operation, or why it does not. */
function placeNote(route: string): Markup | false {
  const place = placeOfOperation(route);
  if (!place) return false;
  if ('reason' in place) return html`<p class="muted">${place.reason}</p>`;
  return html`<p class="muted prose">In the console: ${
    place.page.includes(':') ? html`<code>${place.page}</code>` : html`<a href="${place.page}">${place.page}</a>`
  }</p>`;
}

function commandMarkup({ curl, signature }: OperationDescription['example']): Markup {
  return html`<pre tabindex="0" role="region" aria-label="Command"><code>${curl}</code></pre>
${signature !== undefined && html`<p class="muted">In configuration: <code>${signature}</code></p>`}`;
}

function fieldTable(fields: readonly FieldDescription[]): Markup {
  const line = ({ name, type, doc }: FieldDescription): Markup =>
    html`<tr><th scope="row"><code>${name}</code></th><td>${type}</td><td>${doc}</td></tr>`;
  return table({ label: 'Fields', className: 'wrap', heads: ['Name', 'Type', 'Meaning'], rows: fields.map(line) });
}

function tryForm(call: PageCall, of: OperationDescription, { sent = {}, output = 'Json' }: OperationTrial): Markup {
  const text = (name: string): string => (typeof sent[name] === 'string' ? sent[name] : '');
  return html`<form class="stack entry" method="post" action="/operations/${of.route}">
${csrfField(call)}
<div class="form-grid">
${of.parameters.map((field) => parameterField(field, text(field.name)))}
${of.free && moreParameters(of.free, text('More'))}
${selectField({
  label: 'Output',
  name: 'Output',
  id: 'p-output',
  value: output,
  choices: SHOWN_OUTPUTS.map((each) => ({ value: each, text: each })),
})}
${selectField({
  label: 'When',
  name: 'Queued',
  id: 'p-queued',
  value: text('Queued'),
  empty: 'Now',
  choices: [{ value: 'true', text: 'Through the queue' }],
})}
</div>
${of.effect === 'write' && banner({ tone: 'warn', text: 'This call changes data.' })}
<p class="row">${button({ text: 'Call', kind: 'primary' })}</p>
</form>`;
}

/** Renders the field for parameters that are not declared one by one. */
function moreParameters({ doc, names }: NonNullable<OperationDescription['free']>, text: string): Markup {
  const list = names.length > 0 && html`<details><summary>${names.length} names</summary>${names.join(', ')}</details>`;
  return textAreaField({
    label: html`More parameters, <code>Name=value</code> on each line`,
    name: 'More',
    id: 'p-more',
    value: text,
    rows: 4,
    hint: html`${doc} ${list}`,
  });
}

function parameterField(
  { name, type, doc, required, values, classification }: FieldDescription,
  value: string,
): Markup {
  const parts = {
    label: html`${name} <span class="muted">${type}</span>`,
    name,
    id: `p-${name}`,
    hint: doc,
    ...(required ? { isRequired: true } : {}),
  };
  if (values)
    return selectField({ ...parts, value, empty: '', choices: values.map((each) => ({ value: each, text: each })) });
  return classification === 'secret'
    ? textField({ ...parts, type: 'password', attributes: html`autocomplete="off"` })
    : textField({ ...parts, value });
}

function effectBadge(effect: string): Markup {
  return badge(effect === 'read' ? 'reads' : 'changes', effect === 'read' ? 'neutral' : 'accent');
}
