import { ZipFile } from 'yazl';
import { escapeText } from '../../src/kernel/xml/element.ts';
import { logoPng } from './logo.ts';

/** A document type of the demo with its template. */
export interface SampleLetter {
  readonly name: string;
  readonly description: string;
  /** A record type; empty for all. */
  readonly appliesTo: string;
  /** Where the data are from; empty for the record itself. */
  readonly method?: string;
  readonly generator: string;
  readonly options: string;
  /** The template, in samples/letters/. */
  readonly file: string;
}

/** The document types of the demo that are generated. */
export const letters: readonly SampleLetter[] = [
  {
    name: 'Reinstatement letter',
    description: 'Explains to the borrowers how to reinstate the loan. A Word document: read it before you send it.',
    appliesTo: 'Foreclosure',
    generator: 'MailMergeGenerator',
    options: '',
    file: 'reinstatement-letter.docx',
  },
  {
    name: 'Notice of referral',
    description: 'Informs the borrowers that the loan was referred for foreclosure. A PDF file, ready to be mailed.',
    appliesTo: 'Foreclosure',
    generator: 'PdfGenerator',
    options: 'Margin=22',
    file: 'notice-of-referral.html',
  },
  {
    name: 'Statement of account',
    description: 'The lines and payments of a ledger in a period, with the balance. Name the ledger and the days.',
    appliesTo: '',
    method: 'Ledger/Statement?ID={LedgerID}&From={From}&To={To}',
    generator: 'PdfGenerator',
    options: 'Margin=18',
    file: 'statement-of-account.html',
  },
];

const FIRM = 'Harlan & Pryce LLP';
const FIRM_LINE = '200 Exchange Street, Suite 1400 · Granby Falls, OH 44208 · 555-0163';
const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
/** English Metric Units per inch, in which Word has the sizes of pictures. */
const EMU = 914_400;
/** How files are packed: the bytes of a package are the same on every run. */
const PACKED = { mtime: new Date(2024, 0, 2), mode: 0o100644, compress: false, forceDosTimestamp: true };

/** Returns the templates by their paths in samples/. */
export async function letterTemplates(): Promise<ReadonlyMap<string, Buffer>> {
  return new Map([
    ['letters/reinstatement-letter.docx', await reinstatementLetter()],
    ['letters/notice-of-referral.html', Buffer.from(noticeOfReferral())],
    ['letters/statement-of-account.html', Buffer.from(statementOfAccount())],
  ]);
}

interface ParagraphStyle {
  readonly bold?: boolean;
  /** Points after the paragraph. */
  readonly after?: number;
}

function run(text: string, bold = false): string {
  return `<w:r>${bold ? '<w:rPr><w:b/></w:rPr>' : ''}<w:t xml:space="preserve">${escapeText(text)}</w:t></w:r>`;
}

function paragraph(text: string, { bold = false, after = 8 }: ParagraphStyle = {}): string {
  return `<w:p><w:pPr><w:spacing w:after="${after * 20}"/></w:pPr>${run(text, bold)}</w:p>`;
}

function tableRow(cells: readonly string[], widths: readonly number[], isHead = false): string {
  const shading = isHead ? '<w:shd w:val="clear" w:color="auto" w:fill="E8EDF3"/>' : '';
  const all = cells.map(
    (text, at) =>
      `<w:tc><w:tcPr><w:tcW w:w="${widths[at] ?? 0}" w:type="dxa"/>${shading}</w:tcPr>` +
      `${paragraph(text, { bold: isHead, after: 2 })}</w:tc>`,
  );
  return `<w:tr><w:trPr><w:cantSplit/>${isHead ? '<w:tblHeader/>' : ''}</w:trPr>${all.join('')}</w:tr>`;
}

function table(widths: readonly number[], head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (side: string): string => `<w:${side} w:val="single" w:sz="4" w:space="0" w:color="B4BECB"/>`;
  const borders = ['top', 'bottom', 'insideH'].map(line).join('');
  return (
    `<w:tbl><w:tblPr><w:tblW w:w="${widths.reduce((sum, width) => sum + width, 0)}" w:type="dxa"/>` +
    `<w:tblBorders>${borders}</w:tblBorders><w:tblLayout w:type="fixed"/></w:tblPr>` +
    `<w:tblGrid>${widths.map((width) => `<w:gridCol w:w="${width}"/>`).join('')}</w:tblGrid>` +
    `${tableRow(head, widths, true)}${rows.map((cells) => tableRow(cells, widths)).join('')}</w:tbl>${paragraph('')}`
  );
}

const body = [
  paragraph('{@today}', { after: 14 }),
  paragraph('{#Loan.Borrowers}'),
  paragraph('{FirstName} {LastName}', { after: 0 }),
  paragraph('{/Loan.Borrowers}'),
  paragraph('{Loan.Property.Address}', { after: 0 }),
  paragraph('{Loan.Property.City}, {Loan.Property.State} {Loan.Property.PostalCode}', { after: 14 }),
  paragraph('Re: Loan {Loan.Loan} · Our file {Foreclosure}', { bold: true, after: 2 }),
  paragraph('Property: {Loan.Property.Address}, {Loan.Property.City}', { bold: true, after: 14 }),
  paragraph('Dear {#Loan.Borrowers}{FirstName} {LastName}{^@last} and {/}{/Loan.Borrowers}:'),
  paragraph(
    'This firm represents the servicer of the loan named above, which was referred to us on {DateOpened}. You asked ' +
      'how the loan can be reinstated. Reinstating it means paying what is past due, with the fees and costs so far; ' +
      'the loan then continues as before.',
  ),
  paragraph(
    'The unpaid principal balance is {Loan.UPBAmount | money}, of an original balance of ' +
      '{Loan.OriginalBalance | money:0}. This is not the amount needed to reinstate. To receive that amount with the ' +
      'date until which it is good, call us at 555-0163 or write to the address above, and name our file.',
  ),
  paragraph('{#ScheduledSaleDate}'),
  paragraph(
    'The property is scheduled to be sold on {ScheduledSaleDate | date:"EEEE, MMMM d, yyyy"}. Funds must reach us at ' +
      'least five business days before the sale.',
    { bold: true },
  ),
  paragraph('{/ScheduledSaleDate}'),
  paragraph('{#ProcessType = "Judicial"}'),
  paragraph(
    'A foreclosure action is decided by the court. Reinstating the loan ends the action; until then, the time to ' +
      'answer the complaint continues to run.',
  ),
  paragraph('{/}'),
  paragraph('This letter goes to:', { after: 4 }),
  table(
    [2_500, 2_700, 4_160],
    ['Name', 'Role', 'Address'],
    [['{#Loan.Borrowers}{FirstName} {LastName}', '{BorrowerType} borrower', '{Address}, {City}, {State}{/}']],
  ),
  paragraph('Do not send cash or a personal check. Payments by certified check are made out to Harlan & Pryce LLP.'),
  paragraph(
    'If you are in active military service, or were within the last twelve months, call us before you do anything ' +
      'else: you may have further rights.',
  ),
  paragraph('Sincerely,', { after: 30 }),
  paragraph(FIRM, { after: 0 }),
  paragraph('Attorneys for the servicer', { after: 0 }),
].join('');

const headerXml =
  `${XML}<w:hdr xmlns:w="${W}" xmlns:r="${OFFICE}" ` +
  'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ' +
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ' +
  'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture">' +
  '<w:p><w:pPr><w:pBdr><w:bottom w:val="single" w:sz="8" w:space="6" w:color="1F3A5F"/></w:pBdr></w:pPr>' +
  `<w:r>${logoDrawing()}</w:r><w:r><w:rPr><w:b/><w:color w:val="1F3A5F"/><w:sz w:val="32"/></w:rPr>` +
  `<w:t xml:space="preserve">  ${escapeText(FIRM)}</w:t></w:r></w:p></w:hdr>`;

function logoDrawing(): string {
  const side = Math.round(EMU * 0.45);
  return (
    `<w:drawing><wp:inline distT="0" distB="0" distL="0" distR="0"><wp:extent cx="${side}" cy="${side}"/>` +
    `<wp:docPr id="1" name="Logo" descr="Logo of ${escapeText(FIRM)}"/><a:graphic>` +
    '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr>' +
    '<pic:cNvPr id="1" name="Logo"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip r:embed="rId1"/>' +
    '<a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/>' +
    `<a:ext cx="${side}" cy="${side}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic>` +
    '</a:graphicData></a:graphic></wp:inline></w:drawing>'
  );
}

const footerXml =
  `${XML}<w:ftr xmlns:w="${W}"><w:p><w:pPr><w:jc w:val="center"/></w:pPr>` +
  `<w:r><w:rPr><w:color w:val="5A6675"/><w:sz w:val="17"/></w:rPr><w:t>${escapeText(FIRM_LINE)}</w:t></w:r></w:p>` +
  '<w:p><w:pPr><w:jc w:val="center"/></w:pPr><w:r><w:rPr><w:color w:val="5A6675"/><w:sz w:val="17"/></w:rPr>' +
  '<w:t>This is an attempt to collect a debt. Information obtained will be used for that purpose.</w:t></w:r></w:p>' +
  '</w:ftr>';

const stylesXml =
  `${XML}<w:styles xmlns:w="${W}"><w:docDefaults><w:rPrDefault><w:rPr>` +
  '<w:rFonts w:ascii="Georgia" w:hAnsi="Georgia" w:cs="Georgia"/><w:sz w:val="21"/><w:lang w:val="en-US"/>' +
  '</w:rPr></w:rPrDefault><w:pPrDefault><w:pPr><w:spacing w:after="120" w:line="264" w:lineRule="auto"/></w:pPr>' +
  '</w:pPrDefault></w:docDefaults></w:styles>';

function relationships(targets: readonly (readonly [type: string, target: string])[], base: string): string {
  const all = targets.map(
    ([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${base}/${type}" Target="${target}"/>`,
  );
  return `${XML}<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`;
}

async function reinstatementLetter(): Promise<Buffer> {
  const part = (name: string, type: string): string =>
    `<Override PartName="/word/${name}.xml" ContentType="${TYPE}.${type}+xml"/>`;
  const section =
    '<w:sectPr><w:headerReference w:type="default" r:id="rId1"/><w:footerReference w:type="default" r:id="rId2"/>' +
    '<w:pgSz w:w="12240" w:h="15840"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1200" w:left="1440" ' +
    'w:header="620" w:footer="560" w:gutter="0"/></w:sectPr>';
  return zipOf([
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types">` +
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
        '<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>' +
        `${part('document', 'document.main')}${part('header1', 'header')}${part('footer1', 'footer')}` +
        `${part('styles', 'styles')}</Types>`,
    ],
    ['_rels/.rels', relationships([['officeDocument', 'word/document.xml']], OFFICE)],
    [
      'word/document.xml',
      `${XML}<w:document xmlns:w="${W}" xmlns:r="${OFFICE}"><w:body>${body}${section}</w:body></w:document>`,
    ],
    [
      'word/_rels/document.xml.rels',
      relationships(
        [
          ['header', 'header1.xml'],
          ['footer', 'footer1.xml'],
          ['styles', 'styles.xml'],
        ],
        OFFICE,
      ),
    ],
    ['word/header1.xml', headerXml],
    ['word/_rels/header1.xml.rels', relationships([['image', 'media/logo.png']], OFFICE)],
    ['word/footer1.xml', footerXml],
    ['word/styles.xml', stylesXml],
    ['word/media/logo.png', logoPng()],
  ]);
}

async function zipOf(files: readonly (readonly [name: string, content: string | Buffer])[]): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of files)
    zip.addBuffer(Buffer.from(content), name, PACKED);
  zip.end();
  const pieces: Uint8Array[] = [];
  for await (const piece of zip.outputStream as AsyncIterable<Uint8Array>) pieces.push(piece);
  return Buffer.concat(pieces);
}

function noticeOfReferral(): string {
  return `<html lang="en">
<head>
<title>Notice of referral</title>
<style>
body { font: 10.5pt/1.5 Georgia, "DejaVu Serif", serif; color: #1c1c1c; margin: 0; }
header { display: flex; align-items: center; gap: 10pt; border-bottom: 1.5pt solid #1f3a5f; padding-bottom: 8pt; }
header b { font-size: 17pt; color: #1f3a5f; }
header span { margin-left: auto; font-size: 8pt; color: #5a6675; text-align: right; }
.address { margin: 26pt 0 20pt; line-height: 1.35; }
h1 { font-size: 13pt; margin: 0 0 10pt; }
table { border-collapse: collapse; width: 100%; margin: 4pt 0 12pt; }
th, td { text-align: left; vertical-align: top; padding: 3.5pt 8pt 3.5pt 0; border-bottom: .5pt solid #b4becb; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
td.amount { text-align: right; }
.notice { border-left: 3pt solid #1f3a5f; padding: 2pt 0 2pt 10pt; }
.small { font-size: 8.5pt; color: #444; }
</style>
</head>
<body>
<header>
<img alt="" width="43" height="43" src="data:image/png;base64,${logoPng().toString('base64')}">
<b>${escapeText(FIRM)}</b><span>200 Exchange Street, Suite 1400<br>Granby Falls, OH 44208<br>555-0163</span>
</header>
<p class="address">{#Loan.Borrowers}{FirstName} {LastName}<br>{/Loan.Borrowers}
{Loan.Property.Address}<br>{Loan.Property.City}, {Loan.Property.State} {Loan.Property.PostalCode}</p>
<p>{@today}</p>
<h1>Notice that your loan was referred for foreclosure</h1>
<p>Dear {#Loan.Borrowers}{FirstName} {LastName}{^@last} and {/}{/Loan.Borrowers}:</p>
<p>The servicer of your loan referred it to this firm on {DateOpened} because payments are past due. You can still
bring the loan up to date, ask for a repayment plan, or apply for a modification. The sooner you call, the more of
these are open to you.</p>
<table>
<tbody>
<tr><th scope="row">Our file</th><td class="amount">{Foreclosure}</td></tr>
<tr><th scope="row">Loan</th><td class="amount">{Loan.Loan}{#Loan.LoanType} ({Loan.LoanType}){/}</td></tr>
<tr><th scope="row">Property</th><td class="amount">{Loan.Property.Address}, {Loan.Property.City}, {Loan.Property.State}
</td></tr>
<tr><th scope="row">Unpaid principal balance</th><td class="amount">{Loan.UPBAmount | money}</td></tr>
{#ScheduledSaleDate}<tr><th scope="row">Sale scheduled for</th>
<td class="amount">{ScheduledSaleDate | date:"MMMM d, yyyy"}</td></tr>{/ScheduledSaleDate}
</tbody>
</table>
{#ProcessType = "Judicial"}<p class="notice">In your state a court decides about the foreclosure. You will be served
with a complaint. If you do not answer it in time, the court can enter a judgment without hearing you.</p>{/}
{#ProcessType = "Non Judicial"}<p class="notice">In your state the property can be sold without a court. You will
receive a notice of default, and later a notice with the date of the sale.</p>{/}
<p>This notice goes to:</p>
<table>
<thead><tr><th>Name</th><th>Role</th><th>Address</th></tr></thead>
<tbody>
{#Loan.Borrowers}<tr><td>{FirstName} {LastName}</td><td>{BorrowerType} borrower</td>
<td>{Address}, {City}, {State} {PostalCode}</td></tr>{/Loan.Borrowers}
</tbody>
</table>
<p>Sincerely,</p>
<p>${escapeText(FIRM)}<br>Attorneys for the servicer</p>
<p class="small">This is an attempt to collect a debt. Information obtained will be used for that purpose. If you are
in bankruptcy, or a court has discharged this debt, this notice is for your information only.</p>
</body>
</html>
`;
}

/** Amounts are without a sign of their currency, which is named once: it is the ledger's. */
function statementOfAccount(): string {
  const amount = (name: string): string => `<td class="amount">{${name} | number:2}</td>`;
  return `<html lang="en">
<head>
<title>Statement of account</title>
<style>
body { font: 9.5pt/1.45 "DejaVu Sans", Arial, sans-serif; color: #1c1c1c; margin: 0; }
header { display: flex; align-items: center; gap: 10pt; border-bottom: 1.5pt solid #1f3a5f; padding-bottom: 8pt; }
header b { font-size: 15pt; color: #1f3a5f; }
header span { margin-left: auto; font-size: 8pt; color: #4a5563; text-align: right; }
h1 { font-size: 16pt; margin: 18pt 0 2pt; }
h2 { font-size: 11pt; margin: 18pt 0 4pt; break-after: avoid; }
p { margin: 0 0 4pt; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 3pt 8pt 3pt 0; border-bottom: .5pt solid #c4ccd6; }
th:last-child, td:last-child { padding-right: 0; }
thead { display: table-header-group; }
thead th { border-bottom: .75pt solid #1f3a5f; font-size: 8.5pt; }
tr { break-inside: avoid; }
.amount { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.date { white-space: nowrap; }
.sums { width: 60%; margin: 12pt 0 0 auto; break-inside: avoid; }
.sums .total th, .sums .total td { font-weight: 700; border-top: .75pt solid #1f3a5f; border-bottom: 0; }
small { display: block; font-size: 8pt; color: #4a5563; }
</style>
</head>
<body>
<header>
<img alt="" width="43" height="43" src="data:image/png;base64,${logoPng().toString('base64')}">
<b>${escapeText(FIRM)}</b><span>200 Exchange Street, Suite 1400<br>Granby Falls, OH 44208<br>555-0163</span>
</header>
<h1>Statement of account</h1>
<p>{Ledger}{#Case}, {Case}{/Case}</p>
<p>{#From}From {From} through{/From}{^From}Through{/From} {To}. All amounts are in {Currency}.</p>
<table class="sums">
<tbody>
<tr><th scope="row">Opening balance</th>${amount('OpeningBalance')}</tr>
<tr><th scope="row">Charges and reversals</th>${amount('Debits')}</tr>
<tr><th scope="row">Payments and credits</th><td class="amount">{#Credits}−{/Credits}{Credits | number:2}</td></tr>
<tr class="total"><th scope="row">Balance due</th>${amount('ClosingBalance')}</tr>
</tbody>
</table>
<h2>Transactions</h2>
<table>
<thead><tr><th>Date</th><th>Description</th><th class="amount">Charge</th><th class="amount">Credit</th>
<th class="amount">Balance</th></tr></thead>
<tbody>
<tr><td class="date">{From | date:"MMM d, yyyy"}</td><td>Opening balance</td><td></td><td></td>
${amount('OpeningBalance')}</tr>
{#Lines}<tr><td class="date">{Date | date:"MMM d, yyyy"}</td>
<td>{LedgerItem}{#TransactionNumber} no. {TransactionNumber}{/TransactionNumber}<small>{Description}</small></td>
${amount('Debit')}${amount('Credit')}
${amount('Balance')}</tr>{/Lines}
</tbody>
</table>
{#Payments}{#@first}<h2>Payments</h2>{/}{/Payments}
<table>
{#Payments}{#@first}<thead><tr><th>Date</th><th>Payment</th><th class="amount">Amount</th>
<th class="amount">Applied to charges</th></tr></thead>{/}
<tbody><tr><td class="date">{Date | date:"MMM d, yyyy"}</td><td>{LedgerItem}{#TransactionNumber} no.
{TransactionNumber}{/TransactionNumber}{#Reversed}<small>Reversed on {Reversed}</small>{/Reversed}</td>
${amount('AmountMoney')}${amount('Applied')}</tr></tbody>{/Payments}
</table>
<p><br>Funds received that are not applied to a charge yet: {UnappliedFunds | number:2} {Currency}</p>
</body>
</html>
`;
}
