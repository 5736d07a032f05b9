import type { Describer, FieldDescription, OperationDescription } from '../shared/description.ts';
import { PlatformError } from '../../kernel/door/errors.ts';
import type { Operation } from '../../kernel/declare/operation.ts';
import { mergeParameters, parametersFromQuery, type Parameters } from '../../kernel/parameters/parameters.ts';
import { html, type Markup } from '../../kernel/render/markup.ts';
import { parseOutput, render, type Output } from '../../kernel/render/output.ts';
import { errorNote } from './error.ts';
import { csrfField } from './layout.ts';
import type { PageCall } from './page-call.ts';
import { page, type Page } from './page.ts';
import { humanize } from './display-values.ts';

/** Forms in which the page shows an answer as text. */
const SHOWN_OUTPUTS: readonly Output[] = ['Json', 'Xml', 'Csv'];
/** The longest answer that is shown; the rest is what the command below it gives. */
const ANSWER_CHARACTERS_MAX = 200_000;

/** The pages that list every operation that the user may call, and let it be tried. `describer` is the one of the OpenAPI document. */
export function operationPages(describer: Describer): Readonly<Record<string, Page>> {
  return {
    '/operations': page((call) => Promise.resolve({ title: 'Operations', wide: true, body: listBody(call) })),
    '/operations/:module/*': page((call) => Promise.resolve(operationAnswer(call, describer, operationOf(call), {}))),
    'POST /operations/:module/*': page((call) => tryOperation(call, describer, operationOf(call))),
  };
}

function mayCall({ user }: PageCall, operation: Operation): boolean {
  return operation.access !== 'permission' || user.permissions.has(operation.permissionName);
}

/** The operation that an address names, where the user may call it; whether another exists is not told. */
function operationOf(call: PageCall): Operation {
  const { module = '', '*': path = '' } = call.path;
  const found =
    call.platform.registry.operation(`${module.toLowerCase()}/${path}`) ??
    call.platform.registry.operation(`${module.toLowerCase()}/${path.toLowerCase()}`);
  if (!found || !mayCall(call, found)) throw new PlatformError('UNKNOWN_OPERATION');
  return found;
}

function listBody(call: PageCall): Markup {
  const text = String(call.query['Text'] ?? '').trim();
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
  return html`<h1>Operations</h1><p class="quiet">Everything that you may call, over HTTP as here. <a href="/api/openapi.json">As OpenAPI</a>.</p>
<form class="filters" action="/operations" method="get" role="search"><p><label class="hidden" for="text">Words</label><input id="text" name="Text" type="search" value="${text}" placeholder="contact search"> <button>Show</button></p></form>
<p role="status">${shown.length} operations</p>
${groups.map(([name, operations]) => html`<section aria-labelledby="m-${name}"><h2 id="m-${name}">${humanize(name)}</h2><ul class="operations">${(operations ?? []).map(({ route, summary, effect }) => html`<li><a href="/operations/${route}"><code>${route}</code></a> <span class="status">${effect}</span> ${summary}</li>`)}</ul></section>`)}`;
}

/** What a try of an operation gave. */
interface OperationTrial {
  readonly sent?: Parameters;
  readonly output?: string;
  readonly result?: Markup;
  readonly status?: number;
}

/** Calls the operation as the user, and shows the answer on the page. */
async function tryOperation(call: PageCall, describer: Describer, operation: Operation) {
  const { Output: chosen, More: more, Queued: queued, ...form } = call.form;
  const output = typeof chosen === 'string' && chosen !== '' ? chosen : 'Json';
  const filled = Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ''));
  try {
    const sent = mergeParameters(parametersFromQuery(queryFromLines(more)), filled);
    const route = operation.route.replace(/\{(\w+)\}/g, (_all, name: string) =>
      encodeURIComponent(String(sent[name] ?? '')),
    );
    const [module = '', ...path] = route.split('/');
    const outcome = await call.call(queued === 'true' ? `${module}/queue/${path.join('/')}` : route, sent);
    const { answer, alerts } = outcome;
    if (answer.kind === 'content') {
      if (typeof answer.bytes !== 'string' && Symbol.asyncIterator in answer.bytes)
        await answer.bytes[Symbol.asyncIterator]().return?.();
      return operationAnswer(call, describer, operation, {
        sent: call.form,
        output,
        result: html`<p role="status">The answer is a file, ${answer.fileName ?? answer.mime}. Call it by the command below to get it.</p>`,
      });
    }
    const { body } = render(answer, alerts, parseOutput(output, 'Json'), 'callback');
    const shown = output === 'Json' && body !== '' ? JSON.stringify(JSON.parse(body), null, 2) : body;
    return operationAnswer(call, describer, operation, {
      sent: call.form,
      output,
      result: html`<p role="status">${outcome.queued ? 'Queued.' : 'Done.'}</p><pre tabindex="0" role="region" aria-label="The answer"><code>${shown.slice(0, ANSWER_CHARACTERS_MAX)}</code></pre>`,
    });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    return operationAnswer(call, describer, operation, {
      sent: call.form,
      output,
      status: error.status,
      result: html`${errorNote(error.masked())}<p class="quiet">${error.status} <code>${error.code}</code></p>`,
    });
  }
}

/** Lines of `Name=value` as a query. */
function queryFromLines(more: unknown): string {
  return String(more ?? '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const at = line.indexOf('=');
      if (at < 1)
        throw new PlatformError('BAD_PARAMETER', {
          field: 'More',
          message: `More parameters: expected Name=value on each line; "${line.slice(0, 60)}" is not.`,
        });
      return `${encodeURIComponent(line.slice(0, at).trim())}=${encodeURIComponent(line.slice(at + 1))}`;
    })
    .join('&');
}

function operationAnswer(call: PageCall, describer: Describer, operation: Operation, tried: OperationTrial) {
  const of = describer.operation(call.platform.registry, operation);
  const body = html`<p class="crumbs"><a href="/operations">Operations</a></p><h1><code>${of.route}</code> <span class="status">${of.effect}</span></h1>
<p class="lead">${of.summary}</p>
${of.permission !== undefined && html`<p class="quiet">Permission <code>${of.permission}</code>${of.idempotent && ' · sending it twice has the effect of sending it once'}</p>`}
${tried.result !== undefined && html`<section aria-labelledby="answer"><h2 id="answer">The answer</h2>${tried.result}</section>`}
<section aria-labelledby="try"><h2 id="try">Try it</h2>${of.rawBody ? html`<p>Its body is a document or file, sent as it is; the command below shows how.</p>` : tryForm(call, of, tried)}</section>
<section aria-labelledby="command"><h2 id="command">As a command</h2><pre tabindex="0" role="region" aria-label="The command"><code>${of.example.curl}</code></pre>${of.example.signature !== undefined && html`<p class="quiet">In configuration: <code>${of.example.signature}</code></p>`}</section>
${of.answer.fields.length > 0 && html`<section aria-labelledby="fields"><h2 id="fields">Answers ${of.answer.doc}</h2>${fieldTable(of.answer.fields)}</section>`}
<section aria-labelledby="errors"><h2 id="errors">Errors</h2><div class="scroll" role="region" tabindex="0" aria-label="Errors"><table><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead><tbody>${of.errors.map(({ code, status, text }) => html`<tr><th scope="row"><code>${code}</code></th><td>${status}</td><td>${text}</td></tr>`)}</tbody></table></div></section>`;
  return { title: of.route, wide: true, status: tried.status ?? 200, body };
}

function fieldTable(fields: readonly FieldDescription[]): Markup {
  return html`<div class="scroll" role="region" tabindex="0" aria-label="Fields"><table><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${fields.map(({ name, type, doc }) => html`<tr><th scope="row"><code>${name}</code></th><td>${type}</td><td>${doc}</td></tr>`)}</tbody></table></div>`;
}

function tryForm(call: PageCall, of: OperationDescription, { sent = {}, output = 'Json' }: OperationTrial): Markup {
  const text = (name: string): string => (typeof sent[name] === 'string' ? sent[name] : '');
  return html`<form class="entry" method="post" action="/operations/${of.route}">${csrfField(call)}
<div class="grid">${of.parameters.map((field) => html`<p>${parameterInput(field, text(field.name))}</p>\n`)}
${of.free && html`<p class="whole"><label for="p-more">More parameters, <code>Name=value</code> on each line</label><textarea id="p-more" name="More" rows="4" aria-describedby="p-more-doc">${text('More')}</textarea><span class="quiet" id="p-more-doc">${of.free.doc} ${of.free.names.length > 0 && html`<details><summary>${of.free.names.length} names</summary>${of.free.names.join(', ')}</details>`}</span></p>`}
<p><label for="p-output">Output</label><select id="p-output" name="Output">${SHOWN_OUTPUTS.map((each) => html`<option${each === output && html` selected`}>${each}</option>`)}</select></p>
<p><label for="p-queued">When</label><select id="p-queued" name="Queued"><option value="">at once</option><option value="true"${sent['Queued'] === 'true' && html` selected`}>from the queue</option></select></p></div>
${of.effect === 'write' && html`<p class="quiet">This changes what is stored.</p>`}
<p class="actions"><button>Call it</button></p></form>`;
}

function parameterInput(
  { name, type, doc, required, values, classification }: FieldDescription,
  value: string,
): Markup {
  const common = html`id="p-${name}" name="${name}" aria-describedby="p-${name}-doc"`;
  const input = values
    ? html`<select ${common}><option value=""></option>${values.map((each) => html`<option${each === value && html` selected`}>${each}</option>`)}</select>`
    : html`<input ${common}${classification === 'secret' ? html` type="password" autocomplete="off"` : html` value="${value}"`}${required && html` required`}>`;
  return html`<label for="p-${name}">${name} <span class="quiet">${type}${required && ', required'}</span></label>${input}<span class="quiet" id="p-${name}-doc">${doc}</span>`;
}
