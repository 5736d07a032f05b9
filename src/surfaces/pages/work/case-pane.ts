import { html, type Markup } from '../../../kernel/render/markup.ts';
import { badge } from '../design/badge.ts';
import { icon } from '../design/icons.ts';
import { keyHint } from '../design/keys.ts';
import { stagePill } from '../design/stage.ts';
import { shortDay } from '../due-words.ts';
import { hasPageImages } from '../documents/document-thumbnail.ts';
import { isHeldBack, scanPill } from '../documents/scan-state.ts';
import type { PageCall } from '../page-call.ts';
import type { CurrentItem, DocumentRow } from './current-item.ts';
import { recordAddress, type ItemCase } from './item-cases.ts';
import { followsItem } from './item-state.ts';

/** Renders the case of an item with its documents, one of them open. */
export function casePane(call: PageCall, item: CurrentItem): Markup {
  const { about, aboutCase } = item;
  const address = recordAddress(call, about);
  const place = [aboutCase.place, aboutCase.number].filter((text) => text !== '').join(' · ');
  return html`<aside class="work-case" aria-label="Case and documents">
<header><p class="row"><b class="cut"><bdi>${aboutCase.name}</bdi></b>
${address !== undefined && html`<a class="link small end nowrap" href="${address}">Open case</a>`}</p>
${place !== '' && html`<p class="small soft"><bdi>${place}</bdi></p>`}
<p class="row wrap" id="work-hold" ${followsItem(item)}>${stageOf(aboutCase)}${holdBadge(item)}</p>
</header>
${documentsPart(call, item)}
</aside>`;
}

/** Renders how far the case is. */
function stageOf({ progress }: ItemCase): Markup | false {
  if (!progress || progress.Stage === null) return false;
  const { Stage: name, StageNumber: number, StageCount: total, Hold: hold } = progress;
  return stagePill({
    name,
    reached: (number ?? 1) - 1,
    total: total ?? 1,
    state: hold === null ? 'open' : 'hold',
  });
}

function holdBadge({ aboutCase: { progress }, form }: CurrentItem): Markup | false {
  const hold = progress?.Hold ?? null;
  if (hold !== null) return badge(html`<bdi>${hold}</bdi>`, 'warn', 'hold');
  return form?.isOnHold === true && badge('On hold', 'warn', 'hold');
}

function documentsPart(call: PageCall, { about, documents }: CurrentItem): Markup {
  if (!call.may('attachment/search')) return html`<p class="soft work-none">You may not see documents.</p>`;
  const topic = `${about.Object}/${about.ObjectID}/attachment`.toLowerCase();
  const list = (body: Markup): Markup =>
    html`<div class="work-documents scroll" id="work-documents" tabindex="0" role="region" aria-label="Documents"
 data-live="${topic}">${body}</div>`;
  if (documents.length === 0) return list(html`<p class="soft work-none">The case has no documents.</p>`);
  const [newest] = documents;
  const line = (each: DocumentRow): Markup =>
    html`<li data-row id="document-${each.AttachmentID}"><a href="/documents/${each.AttachmentID}"${
      each === newest && html` data-key="v"`
    }>${icon('document', 14)}
<span class="cut"><bdi>${documentName(each)}</bdi></span>
<span class="small muted nowrap end">${shortDay(call, each.CreatedDate)}${
      each === newest && keyHint('V')
    }</span></a></li>\n`;
  return html`${list(html`<ul>${documents.map(line)}</ul>`)}
${newest && firstPage(call, newest)}`;
}

function documentName({ Attachment: name, FileName: file, AttachmentID: id }: DocumentRow): string {
  return name ?? file ?? `Document ${id}`;
}

/** Renders the first page of a document; all of it opens beside the form. */
function firstPage(call: PageCall, document: DocumentRow): Markup | false {
  if (!call.may('attachment/download')) return false;
  const { AttachmentID: id, Description: text } = document;
  const name = documentName(document);
  if (isHeldBack(document)) return html`<p>${scanPill(document)} <bdi>${name}</bdi></p>`;
  const image = html`<img src="/api/attachment/pageimage?ID=${id}&amp;Width=900" alt="First page of ${name}"
width="900" height="1165" loading="lazy">`;
  return html`<div class="work-document scroll" tabindex="0" role="region" aria-label="${name}">
${hasPageImages(call, document) && html`<a href="/documents/${id}">${image}</a>`}
${(text ?? '') !== '' && html`<p class="text">${text}</p>`}
<p><a class="button" href="/documents/${id}">${icon('eye', 14)}<span>Read beside the form</span><span
class="hidden"> ${name}</span></a></p>
</div>`;
}
