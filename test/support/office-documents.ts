import { zipOf } from './documents.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

/** Returns a DOCX file as Word writes it. `body`: XML of its paragraphs; `relations`: XML of what it refers to. */
export function wordOf(body: string, relations = ''): Promise<Buffer> {
  return zipOf({
    '[Content_Types].xml':
      `<Types xmlns="${PACKAGE}/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      '<Override PartName="/word/document.xml" ' +
      'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    '_rels/.rels':
      `<Relationships xmlns="${PACKAGE}/relationships">` +
      `<Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/_rels/document.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships">${relations}</Relationships>`,
    'word/document.xml':
      '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ' +
      `xmlns:r="${OFFICE}" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ` +
      'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ' +
      'xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><w:body>' +
      `${body}</w:body></w:document>`,
  });
}

/** Returns XML of a paragraph. */
export function paragraph(text: string): string {
  return `<w:p><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

/** Returns a DOCX file with a page for each text. */
export function wordPages(...pages: readonly string[]): Promise<Buffer> {
  return wordOf(pages.map(paragraph).join('<w:p><w:r><w:br w:type="page"/></w:r></w:p>'));
}

/** Returns a DOCX file that refers to addresses and files in every way that its format has. */
export function referringWord(address: string, secret: string): Promise<Buffer> {
  const relation = (id: string, kind: string, target: string): string =>
    `<Relationship Id="${id}" Type="${OFFICE}/${kind}" Target="${target}" TargetMode="External"/>`;
  const picture = (id: string): string =>
    '<w:p><w:r><w:drawing><wp:inline><wp:extent cx="900000" cy="900000"/><wp:docPr id="1" name="p"/><a:graphic>' +
    '<a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:pic><pic:nvPicPr>' +
    '<pic:cNvPr id="0" name="p"/><pic:cNvPicPr/></pic:nvPicPr><pic:blipFill>' +
    `<a:blip r:link="${id}"/></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="900000" cy="900000"/>` +
    '</a:xfrm><a:prstGeom prst="rect"/></pic:spPr></pic:pic>' +
    '</a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>';
  const field = (instruction: string): string =>
    `<w:p><w:fldSimple w:instr=" ${instruction} "><w:r><w:t>field</w:t></w:r></w:fldSimple></w:p>`;
  return wordOf(
    paragraph('before') +
      picture('r1') +
      picture('r2') +
      field(`INCLUDEPICTURE &quot;${address}/field.png&quot; \\d`) +
      field(`INCLUDETEXT &quot;file://${secret}&quot;`) +
      field(`INCLUDETEXT &quot;${address}/text.txt&quot;`) +
      field(`DDEAUTO &quot;soffice&quot; &quot;${secret}&quot; &quot;A1&quot;`) +
      paragraph('after'),
    relation('r1', 'image', `${address}/picture.png`) +
      relation('r2', 'image', `file://${secret}`) +
      relation('r3', 'attachedTemplate', `${address}/template.dotm`),
  );
}

const ODF = 'urn:oasis:names:tc:opendocument:xmlns';
const NAMESPACES =
  `xmlns:office="${ODF}:office:1.0" xmlns:text="${ODF}:text:1.0" xmlns:table="${ODF}:table:1.0" ` +
  `xmlns:draw="${ODF}:drawing:1.0" xmlns:svg="${ODF}:svg-compatible:1.0" xmlns:script="${ODF}:script:1.0" ` +
  `xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:of="${ODF}:of:1.2" xmlns:ooo="http://openoffice.org/2004/office"`;

function openDocument(kind: 'text' | 'spreadsheet', content: string, macro: string): Promise<Buffer> {
  const mime = `application/vnd.oasis.opendocument.${kind}`;
  const parts = ['content.xml', 'Basic/script-lc.xml', 'Basic/Standard/script-lb.xml', 'Basic/Standard/Module1.xml'];
  const entry = (path: string, type: string): string =>
    `<manifest:file-entry manifest:full-path="${path}" manifest:media-type="${type}"/>`;
  const events = ['office:load-finished', 'dom:load']
    .map(
      (name) =>
        `<script:event-listener script:language="ooo:script" script:event-name="${name}" xlink:type="simple" ` +
        'xlink:href="vnd.sun.star.script:Standard.Module1.Main?language=Basic&amp;location=document"/>',
    )
    .join('');
  const library = 'xmlns:library="http://openoffice.org/2000/library" library:name="Standard"';
  return zipOf({
    mimetype: mime,
    'META-INF/manifest.xml':
      `<manifest:manifest xmlns:manifest="${ODF}:manifest:1.0" manifest:version="1.2">` +
      `${entry('/', mime)}${parts.map((path) => entry(path, 'text/xml')).join('')}</manifest:manifest>`,
    'Basic/script-lc.xml':
      '<library:libraries xmlns:library="http://openoffice.org/2000/library">' +
      '<library:library library:name="Standard" library:link="false"/></library:libraries>',
    'Basic/Standard/script-lb.xml':
      `<library:library ${library} library:readonly="false">` +
      '<library:element library:name="Module1"/></library:library>',
    'Basic/Standard/Module1.xml':
      '<script:module xmlns:script="http://openoffice.org/2000/script" script:name="Module1" ' +
      `script:language="StarBasic">Sub Main\nShell("/usr/bin/touch", 0, "${macro}", true)\nEnd Sub</script:module>`,
    'content.xml':
      `<office:document-content ${NAMESPACES} office:version="1.2"><office:scripts><office:event-listeners>` +
      `${events}</office:event-listeners></office:scripts>` +
      `<office:body>${content}</office:body></office:document-content>`,
  });
}

/** Returns an ODT file that refers to an address and a file, with a macro that would write a file when it is opened. */
export function referringText(address: string, secret: string, macro: string): Promise<Buffer> {
  const image = (target: string): string =>
    '<text:p><draw:frame svg:width="2cm" svg:height="2cm" text:anchor-type="as-char">' +
    `<draw:image xlink:href="${target}" xlink:type="simple" xlink:show="embed" xlink:actuate="onLoad"/>` +
    '</draw:frame></text:p>';
  const section = (name: string, target: string): string =>
    `<text:section text:name="${name}"><text:section-source xlink:href="${target}" xlink:type="simple"/>` +
    '<text:p>old content</text:p></text:section>';
  const content =
    `<office:text><text:p>before</text:p>${image(`${address}/image.png`)}${image(`file://${secret}`)}` +
    `${section('a', `file://${secret}`)}${section('b', `${address}/section.odt`)}` +
    '<text:p>after</text:p></office:text>';
  return openDocument('text', content, macro);
}

/** Returns an ODS file whose formulas ask an address and a file, with a macro as {@link referringText}. */
export function referringSheet(address: string, secret: string, macro: string): Promise<Buffer> {
  const cell = (formula: string): string =>
    `<table:table-cell table:formula="of:=${formula}"><text:p/></table:table-cell>`;
  const content =
    '<office:spreadsheet><table:table table:name="A"><table:table-row>' +
    '<table:table-cell office:value-type="string"><text:p>before</text:p></table:table-cell>' +
    cell(`COM.MICROSOFT.WEBSERVICE(&quot;${address}/service&quot;)`) +
    cell(`'file://${secret}'#$Sheet1.A1`) +
    cell(`'${address}/table.csv'#$Sheet1.A1`) +
    cell(`DDE(&quot;soffice&quot;;&quot;${secret}&quot;;&quot;A1&quot;)`) +
    '</table:table-row></table:table></office:spreadsheet>';
  return openDocument('spreadsheet', content, macro);
}
