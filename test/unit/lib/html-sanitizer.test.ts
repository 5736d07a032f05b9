import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { frameDocument, framePolicy, htmlOfText } from '../../../src/lib/html-sanitizer/frame-document.ts';
import { hasRemoteImage, HTML_CHARACTERS_MAX, sanitizeHtml } from '../../../src/lib/html-sanitizer/sanitize-html.ts';

const PIXEL = 'data:image/png;base64,iVBORw0KGgo=';
const options = { remoteImages: false, embeddedImage: (id: string) => (id === 'logo@mail' ? PIXEL : undefined) };
const clean = (html: string): string => sanitizeHtml(html, options).html;
const withImages = (html: string): string => sanitizeHtml(html, { ...options, remoteImages: true }).html;

/** All tags that may be in a result, with the attributes that each may have. */
const TAG = /^<(?:\/[a-z\d]+|[a-z\d]+(?: [a-z]+(?:="[^"<>]*")?)*(?: \/)?)>$/;
const NAMES = new Set(
  (
    'a abbr address article aside b bdi bdo big blockquote br caption center cite code col colgroup ' +
    'dd del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ' +
    'ins kbd li main mark nav ol p pre q s samp section small span strike strong sub summary sup ' +
    'table tbody td tfoot th thead time tr tt u ul var wbr'
  ).split(' '),
);
const ATTRIBUTES = new Set(
  (
    'align alt bgcolor border cellpadding cellspacing color colspan dir face height href lang open rel rowspan scope ' +
    'size span src start style target title type valign width'
  ).split(' '),
);

/**
 * Asserts that a result consists of text and of tags in one plain form, so that every browser reads it as we do; that
 * no name or attribute is one that runs or loads; and that addresses are of the allowed kinds.
 */
function assertHarmless(html: string, { remoteImages = false } = {}): void {
  const withoutTags = html.replace(/<[^<>]*>/g, (tag) => {
    assert.match(tag, TAG);
    const name = /^<\/?([a-z\d]+)/.exec(tag)?.[1] ?? '';
    assert.ok(NAMES.has(name), `element ${name} in ${tag}`);
    for (const [, attribute = '', value = ''] of tag.matchAll(/ ([a-z]+)(?:="([^"]*)")?/g))
      assertAttribute(tag, { name, attribute, value: decoded(value) }, remoteImages);
    return '';
  });
  assert.doesNotMatch(withoutTags, /[<>]/, 'a bracket in text');
}

function assertAttribute(
  tag: string,
  { name, attribute, value }: { readonly name: string; readonly attribute: string; readonly value: string },
  remoteImages: boolean,
): void {
  assert.ok(ATTRIBUTES.has(attribute), `attribute ${attribute} in ${tag}`);
  if (attribute === 'href') assert.match(value, /^(?:https?:\/\/|mailto:|tel:)/i);
  if (attribute === 'src') {
    assert.equal(name, 'img');
    assert.match(value, remoteImages ? /^(?:https?:\/\/|data:image\/(?!svg))/i : /^data:image\/(?!svg)/i);
  }
  if (attribute === 'style')
    assert.doesNotMatch(value, /url|position|z-index|expression|import|var\(|behavior|transform|[\\@{}<>/*]|-\d+px/i);
}

function decoded(value: string): string {
  return value
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&');
}

/** Ways in which HTML has run scripts, loaded, submitted or covered pages, most of them in mails. */
const ATTACKS = [
  '<script>alert(1)</script>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<img src=x onerror=alert(1)>',
  '<img src="x" onerror="alert(1)" / >',
  '<img/onerror=alert(1)/src=x>',
  '<svg onload=alert(1)>',
  '<svg><animate attributeName=href values=javascript:alert(1) /></svg>',
  '<svg><script href="data:,alert(1)" /></svg>',
  '<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<textarea></textarea/><img src=x onerror=alert(1)></textarea>',
  '<xmp><p title="</xmp><img src=x onerror=alert(1)>">',
  '<title><a title="</title><img src=x onerror=alert(1)>">',
  '<!--><img src=x onerror=alert(1)>-->',
  '<!--[if gte IE 4]><script>alert(1)</script><![endif]-->',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '<?xml version="1.0"?><?php echo 1 ?><img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="jav&#x09;ascript:alert(1)">x</a>',
  '<a href="&#1;javascript:alert(1)">x</a>',
  '<a href="java\u0000script:alert(1)">x</a>',
  '<a href="vbscript:x">x</a><a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="//evil.example">x</a><a href="/api/person/save">x</a><a href="\\\\evil.example\\x">x</a>',
  '<a href="https://ok.example" onclick="alert(1)" ping="https://evil.example" target="_top">x</a>',
  '<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<link rel="stylesheet" href="https://evil.example/x.css"><style>@import "https://evil.example";</style>',
  '<form action="https://evil.example"><input name=password><button formaction="javascript:alert(1)">x</button></form>',
  '<iframe src="https://evil.example"></iframe><iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="https://evil.example/x.swf"><embed src="javascript:alert(1)"></object><applet code=x></applet>',
  '<video src=x onerror=alert(1)><source src="https://evil.example/x"></video><audio src=x autoplay>',
  '<div style="background:url(https://evil.example/x)">x</div>',
  '<div style="background:u\\72l(https://evil.example/x)">x</div>',
  '<div style="background-image:image-set(\'https://evil.example/x\' 1x)">x</div>',
  '<div style="width:expression(alert(1));behavior:url(x.htc);-moz-binding:url(x)">x</div>',
  '<div style="position:fixed;top:0;left:0;width:100%;height:100%;z-index:9999;background:white">Sign in</div>',
  '<div style="margin-top:-5000px;transform:scale(100)">x</div>',
  '<div style="font-family:\'x;} body{background:url(https://evil.example)\'">x</div>',
  '<div style="color:red;/*;*/position:/**/fixed">x</div>',
  '<p style="content:attr(x);cursor:url(x);list-style:url(x);filter:url(x)">x</p>',
  '<img src="https://evil.example/a.png"><img src="http://evil.example/a.png"><img src=//evil.example/a>',
  '<img srcset="https://evil.example/a 1x" src="cid:none"><picture><source srcset="https://evil.example/b"></picture>',
  '<img src="data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+"><img src="data:text/html,x">',
  '<img src="data:image/png;base64,AA==&quot; onerror=&quot;alert(1)">',
  '<img src="cid:&quot; onerror=alert(1) x=&quot;"><img lowsrc="https://evil.example" dynsrc="https://evil.example">',
  '<table background="https://evil.example/x"><td background="https://evil.example/y">x</td></table>',
  '<input type="image" src="https://evil.example/x"><isindex type=image src=1 onerror=alert(1)>',
  '<details open ontoggle=alert(1)><summary>x</summary></details>',
  '<p id="header" class="banner" name="form" slot="x" is="x-y" nonce="1">x</p>',
  '<x-custom onconnect=alert(1)>x</x-custom><template><script>alert(1)</script></template><slot name=x>',
  '<a title="--><script>alert(1)</script>" href="https://ok.example/&quot;><script>">x</a>',
  '<font color="red;} x{"><body onload=alert(1) background="javascript:alert(1)">',
  '<img alt="`><script>alert(1)</script>" src=`x`><p title=\u0000onmouseover=alert(1)>',
  '<plaintext><script>alert(1)</script>',
  '<div __proto__=x constructor=y tostring=z style="__proto__:x;constructor:red;color:red">x</div>',
];

const PIECES = [
  ...[
    '<',
    '>',
    '"',
    "'",
    '/',
    '=',
    ' ',
    '\0',
    '\t',
    '\n',
    '`',
    '&lt;',
    '&#x3c;',
    '&#0;',
    '&quot;',
    '-->',
    '<!--',
    '<![CDATA[',
    ']]>',
  ],
  ...[
    'script',
    'style',
    'svg',
    'math',
    'img',
    'a',
    'p',
    'table',
    'td',
    'title',
    'noscript',
    'textarea',
    'iframe',
    'xmp',
  ],
  ...['blockquote type=cite', 'details', 'summary', 'div class=gmail_quote', 'select', 'option', 'template', 'mglyph'],
  ...[
    'onerror=alert(1)',
    'src=x',
    'href=javascript:x',
    'style="color:red',
    'url(x)',
    'cid:logo@mail',
    'ſ',
    'K',
    '😀',
    '\ud800',
  ],
];

describe('HTML from outside', () => {
  it('runs, loads and submits nothing, whatever the attack (MSG-15)', () => {
    for (const attack of ATTACKS) {
      for (const around of [
        attack,
        `<p>before ${attack} after</p>`,
        `<table><tr>${attack}</table>`,
        `<svg>${attack}`,
      ]) {
        assertHarmless(clean(around));
        assertHarmless(withImages(around), { remoteImages: true });
      }
    }
    assert.doesNotMatch(ATTACKS.map(clean).join(''), /evil\.example\/(?!x\.swf)[ab]/);
  });

  it('has one plain form for any pieces of markup (MSG-15)', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.constantFrom(...ATTACKS)), { maxLength: 30 }),
        (of) => {
          for (const text of [of.join(''), of.map((piece) => `<${piece}>`).join(''), `<${of.join(' ')}`]) {
            const once = clean(text);
            assertHarmless(once);
            assertHarmless(withImages(text), { remoteImages: true });
          }
        },
      ),
      { numRuns: 300 },
    );
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => assertHarmless(clean(text))));
  });

  it('keeps what letters need: text, tables, lists, links, colors and sizes', () => {
    assert.equal(
      clean(
        '<table width="600" bgcolor="#fff"><tr><td colspan=2 style="padding: 4px 8px; color:#333">A &amp; B</td></tr>',
      ),
      '<table width="600" bgcolor="#fff"><tr><td colspan="2" style="padding:4px 8px;color:#333">A &amp; B</td></tr>' +
        '</table>',
    );
    assert.equal(
      clean(`<p style='font-family:"Segoe UI", Arial;font-size:11pt;font-weight:bold !important'>x</p>`),
      '<p style="font-family:Segoe UI, Arial;font-size:11pt;font-weight:bold">x</p>',
    );
    assert.equal(
      clean('<a href=" https://firm.example/?a=1&amp;b=2 ">x</a>'),
      '<a href="https://firm.example/?a=1&amp;b=2" title="https://firm.example/?a=1&amp;b=2" target="_blank" ' +
        'rel="noopener noreferrer nofollow">x</a>',
    );
  });

  it('shows pictures that came with it, and those of other servers only on request, but never pixels', () => {
    assert.equal(clean('<img src="CID:logo@mail" alt="Logo">'), `<img alt="Logo" src="${PIXEL}" />`);
    assert.equal(clean('<img src="cid:logo%40mail">'), `<img src="${PIXEL}" />`);
    const html = '<img src="https://news.example/a.png" width="300"><img src="https://news.example/p.gif" width="1">';
    assert.deepEqual(sanitizeHtml(html, options), {
      html: '<img width="300" /><img width="1" />',
      blockedImages: 1,
      isCut: false,
    });
    assert.equal(withImages(html), '<img width="300" src="https://news.example/a.png" /><img width="1" />');
  });

  it('folds the outermost quote, but not all of the text', () => {
    assert.equal(
      clean(
        'Hi<div class="gmail_quote">On Monday:<blockquote type="cite">a<blockquote>b</blockquote></blockquote></div>',
      ),
      'Hi<details><summary>Quoted text</summary>On Monday:' +
        '<blockquote>a<blockquote>b</blockquote></blockquote></details>',
    );
    assert.equal(
      clean('<div class="gmail_quote">Forwarded</div>'),
      '<details open><summary>Quoted text</summary>Forwarded</details>',
    );
  });

  it('reads a limited part of HTML that is too long, too deep or has too many tags', () => {
    assert.equal(sanitizeHtml('a'.repeat(HTML_CHARACTERS_MAX + 1), options).isCut, true);
    for (const piece of ['<div>', '<', '<b>x', '</p>', '<noscript>', '<blockquote type=cite>', '<!--', '<iframe>']) {
      const { html, isCut } = sanitizeHtml(piece.repeat(300_000), options);
      assert.equal(isCut, true, piece);
      assertHarmless(html);
      assert.ok((html.match(/<div>|<b>/g) ?? []).length <= 40_000);
    }
  });

  it('says whether it has pictures of other servers, in one pass', () => {
    for (const remote of ['<p><IMG alt="a" src=https://a.example/x>', "<img\nsrc = ' http://a.example/x'"])
      assert.ok(hasRemoteImage(remote), remote);
    for (const other of ['<img src="cid:1">', '<p src="https://a.example/x">', '<img alt="x">https://a.example'])
      assert.ok(!hasRemoteImage(other), other);
    for (const piece of ['<img ', '<img src ', '<img src=', `<img${' '.repeat(2_000)}`])
      assert.ok(!hasRemoteImage(piece.repeat(HTML_CHARACTERS_MAX / piece.length)), piece);
  });
});

describe('the frame of a message', () => {
  it('has a policy without scripts, forms and requests, and pictures of others only on request', () => {
    assert.match(
      framePolicy({ remoteImages: false }),
      /^sandbox (?!.*allow-scripts).*default-src 'none'; img-src data:;/,
    );
    assert.match(framePolicy({ remoteImages: true }), /img-src data: https:;/);
    const shown = frameDocument({ html: '<p>x</p>', title: '</title><script>', kind: 'html', remoteImages: false });
    assert.match(shown, /<title>&lt;\/title&gt;&lt;script&gt;<\/title>.*<body><p>x<\/p><\/body>/s);
  });

  it('shows plain text as it is written, with links and folded quotes', () => {
    assert.equal(
      htmlOfText({ text: 'See <b> (https://firm.example/a?b=1&c="d").', quoted: '' }),
      '<div class="text">See &lt;b&gt; (<a href="https://firm.example/a?b=1&amp;c=" target="_blank" ' +
        'rel="noopener noreferrer nofollow">https://firm.example/a?b=1&amp;c=</a>&quot;d&quot;).</div>',
    );
    assert.match(htmlOfText({ text: 'a', quoted: '> b' }), /^<div class="text">a<\/div><details><summary>.*&gt; b/);
    assert.match(htmlOfText({ text: ' ', quoted: '> b' }), /^<details open>/);
    const address = `https://${'.'.repeat(1_990)}`;
    assert.ok(htmlOfText({ text: `${address}x `.repeat(5_000), quoted: '' }).includes(`>${address}x</a> <a`));
  });
});
