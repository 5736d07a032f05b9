/** A word of another script in Latin letters: the most common romanization, and others. */
interface Roman {
  readonly text: string;
  readonly others: readonly string[];
}

type Letters = Readonly<Record<string, string>>;

/** Parses pairs of a letter and its romanization. */
function letters(pairs: string): Letters {
  return Object.fromEntries(pairs.split(' ').map((pair): [string, string] => [pair.charAt(0), pair.slice(1)]));
}

const cyrillic = letters(
  'аa бb вv гg дd еe ёe жzh зz иi йy кk лl мm нn оo пp рr сs тt уu фf хkh цts чch шsh щshch ъ ыy ь эe ' +
    'юyu яya іi їyi єye ґg јj љlj њnj ћc ђdj џdz ѓgj ќkj ѕdz ўu',
);
const greek = letters('αa βv γg δd εe ζz ηi θth ιi κk λl μm νn ξx οo πp ρr σs ςs τt υy φf χch ψps ωo');
const hebrew = letters('א בb גg דd הh וv זz חh טt יy כk ךk לl מm םm נn ןn סs ע פp ףp צts ץts קk רr שsh תt');
const arabic = letters(
  'ا أ إ آ بb تt ةh ثth جj حh خkh دd ذdh رr زz سs شsh صs ضd طt ظz ع غgh فf قq كk کk لl مm نn هh وw ؤw يy ' +
    'ىy یy ئy پp چch ژzh گg ء',
);
const georgian = letters(
  'აa ბb გg დd ეe ვv ზz თt იi კk ლl მm ნn ოo პp ჟzh რr სs ტt უu ფp ქk ღgh ყq შsh ჩch ცts ძdz წts ჭch ხkh ჯj ჰh',
);
const armenian = letters(
  'աa բb գg դd եe զz էe ըy թt ժzh իi լl խkh ծts կk հh ձdz ղgh ճch մm յy նn շsh ոo չch պp ջj ռr սs վv տt ' +
    'րr ցts ւu փp քk օo ֆf ևev',
);
const kana = letters(
  [
    'あa いi うu えe おo かka きki くku けke こko さsa しshi すsu せse そso たta ちchi つtsu てte とto なna にni ぬnu ねne',
    'のno はha ひhi ふfu へhe ほho まma みmi むmu めme もmo やya ゆyu よyo らra りri るru れre ろro わwa をo んn がga ぎgi',
    'ぐgu げge ごgo ざza じji ずzu ぜze ぞzo だda ぢji づzu でde どdo ばba びbi ぶbu べbe ぼbo ぱpa ぴpi ぷpu ぺpe ぽpo ゔvu',
  ].join(' '),
);

const hangulInitials = [
  'g',
  'kk',
  'n',
  'd',
  'tt',
  'r',
  'm',
  'b',
  'pp',
  's',
  'ss',
  '',
  'j',
  'jj',
  'ch',
  'k',
  't',
  'p',
  'h',
];
const hangulVowels = [
  'a',
  'ae',
  'ya',
  'yae',
  'eo',
  'e',
  'yeo',
  'ye',
  'o',
  'wa',
  'wae',
  'oe',
  'yo',
  'u',
  'wo',
  'we',
  'wi',
  'yu',
  'eu',
  'ui',
  'i',
];
const hangulFinals = [
  '',
  'k',
  'k',
  'k',
  'n',
  'n',
  'n',
  't',
  'l',
  'k',
  'm',
  'l',
  'l',
  'l',
  'p',
  'l',
  'm',
  'p',
  'p',
  't',
  't',
  'ng',
  't',
  't',
  'k',
  't',
  'p',
  't',
];

/** Scripts with vowels, romanized letter by letter. */
const alphabets: readonly (readonly [RegExp, Letters])[] = [
  [/^[\p{Script=Cyrillic}']+$/u, { ...cyrillic, ь: '' }],
  [/^[\p{Script=Greek}\p{M}']+$/u, greek],
  [/^[\p{Script=Georgian}]+$/u, georgian],
  [/^[\p{Script=Armenian}]+$/u, armenian],
];

/**
 * Returns the romanization of a word that is entirely in one script that has a usual one. Undefined for Latin, for
 * scripts without a usual romanization (Han), and for a word of mixed scripts, which stays as written: a Cyrillic а
 * among Latin letters must never pass for an a.
 */
export function romanize(lower: string): Roman | undefined {
  if (/\p{Script=Latin}/u.test(lower)) return undefined;
  for (const [script, table] of alphabets) {
    if (script.test(lower)) return table === greek ? romanGreek(lower) : { text: byLetter(lower, table), others: [] };
  }
  if (/^\p{Script=Hangul}+$/u.test(lower)) return { text: romanHangul(lower), others: [] };
  if (/^[\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u.test(lower)) return romanKana(lower);
  if (/^[\p{Script=Hebrew}\p{M}]+$/u.test(lower)) return { text: byLetter(lower, hebrew), others: [] };
  if (/^[\p{Script=Arabic}\p{M}ـ]+$/u.test(lower)) return { text: byLetter(lower, arabic), others: [] };
  return undefined;
}

function byLetter(text: string, table: Letters): string {
  let result = '';
  for (const letter of text) result += table[letter] ?? table[letter.normalize('NFD')[0] ?? ''] ?? '';
  return result;
}

/** Romanizes Greek, in which some pairs of letters are one sound. */
function romanGreek(lower: string): Roman {
  const bare = lower.normalize('NFD').replace(/\p{M}/gu, '');
  const paired = bare
    .replaceAll('ου', 'u')
    .replaceAll('γγ', 'ng')
    .replaceAll('γκ', 'g')
    .replace(/^μπ/u, 'b')
    .replaceAll('μπ', 'mb')
    .replace(/^ντ/u, 'd')
    .replace(/αυ(?=[θκξπσςτφχψ]|$)/gu, 'af')
    .replaceAll('αυ', 'av')
    .replace(/ευ(?=[θκξπσςτφχψ]|$)/gu, 'ef')
    .replaceAll('ευ', 'ev');
  let text = '';
  for (const letter of paired) text += greek[letter] ?? letter;
  return {
    text,
    others: [text.replaceAll('u', 'ou'), text.replaceAll('v', 'b').replaceAll('y', 'i').replaceAll('ch', 'h')].filter(
      (other) => other !== text,
    ),
  };
}

function romanHangul(text: string): string {
  let result = '';
  for (const syllable of text) {
    const code = syllable.charCodeAt(0) - 0xac00;
    if (code < 0 || code > 11171) continue;
    result +=
      (hangulInitials[Math.floor(code / 588)] ?? '') +
      (hangulVowels[Math.floor((code % 588) / 28)] ?? '') +
      (hangulFinals[code % 28] ?? '');
  }
  return result;
}

function romanKana(text: string): Roman {
  const hiragana = text.replace(/[ァ-ヶ]/gu, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x60));
  const long = hiragana
    .replace(/([きしちにひみりぎじびぴ])([ゃゅょ])/gu, (_all, first: string, second: string) => {
      const initial = (kana[first] ?? '').replace(/i$/u, /[しちじ]/u.test(first) ? '' : 'y');
      return `${initial}${{ ゃ: 'a', ゅ: 'u', ょ: 'o' }[second] ?? ''}`;
    })
    .replace(/っ(.)/gu, (_all, next: string) => `${(kana[next] ?? '')[0] ?? ''}${next}`)
    .replaceAll('ー', '');
  let latin = '';
  for (const letter of long) latin += kana[letter] ?? letter;
  const short = latin.replace(/ou|oo/gu, 'o').replace(/uu/gu, 'u');
  return { text: short, others: short === latin ? [] : [latin] };
}

const skeletons = /[aeiouywh]/gu;

/** Returns the consonants of a word: all that Arabic and Hebrew usually write. */
export function consonants(text: string): string {
  return text
    .replaceAll('ph', 'f')
    .replaceAll('ck', 'k')
    .replaceAll('q', 'k')
    .replaceAll('c', 'k')
    .replaceAll('dh', 'd')
    .replaceAll('tz', 'ts')
    .replaceAll('v', 'b')
    .replaceAll('p', 'f')
    .replace(skeletons, '')
    .replace(/(.)\1+/gu, '$1');
}

/** Whether a word, as written, is in a script that omits vowels. */
export function isWithoutVowels(exact: string): boolean {
  return /^[\p{Script=Hebrew}\p{Script=Arabic}\p{M}]+$/u.test(exact);
}
