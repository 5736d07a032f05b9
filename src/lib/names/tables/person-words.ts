/** Titles before a name. They say nothing about the person except, sometimes, the sex. */
export const masculineTitles = `
mr mister mssr monsieur herr senor sr don signor sig sir lord brother father fr padre frere pan meneer dhr shri sri
bapak gospodin kyrios
`;
export const feminineTitles = `
mrs ms miss mme madame madam mlle mademoiselle frau fraulein senora sra senorita srta dona dna signora sigra signorina
dame lady sister mother mere pani mevrouw mevr smt ibu gospozha kyria
`;
export const titles = `
the dr doctor doc drs prof professor rev revd reverend hon honorable honourable hble rabbi pastor imam sheikh sheik
shaykh sgt sergeant lt lieutenant ltcol ltc capt captain cpt col colonel maj major gen general brig brigadier adm
admiral cpl corporal pvt private pfc ensign cmdr commander cdr judge justice senator sen rep representative
congressman congresswoman gov governor president pres mayor ambassador amb chancellor dean_ deacon elder bishop
archbishop cardinal msgr monsignor canon vicar chaplain very right most his her eminence excellency honor officer ofc
detective det trooper deputy inspector insp constable chief supt agent marshal sheriff coach mx messrs dipl ing lic
licda abog arq dott dottssa avv mag hadji hajji haji swami ustad
`;
/** Titles that are also given names or surnames: they count as titles only if two more names follow. */
export const doubtfulTitles = `
don major general judge justice rabbi elder bishop cardinal dean canon deacon chief marshal sheriff coach king prince
sir lord lady pan sri sister mother father brother private mag det doc miss pastor ing lic rep sen pres col gen may
drs honor his her most right very pres governor corporal captain constable agent ensign trooper deputy mayor president
senator chancellor chaplain sig mere
`;

/** Generation suffixes and their number. */
export const generations: Readonly<Record<string, string>> = {
  jr: 'jr',
  junior: 'jr',
  jnr: 'jr',
  hijo: 'jr',
  fils: 'jr',
  filho: 'jr',
  sr: 'sr',
  senior: 'sr',
  snr: 'sr',
  i: '1',
  '1st': '1',
  first: '1',
  ii: '2',
  '2nd': '2',
  '2d': '2',
  second: '2',
  iii: '3',
  '3rd': '3',
  '3d': '3',
  third: '3',
  iv: '4',
  '4th': '4',
  fourth: '4',
  v: '5',
  '5th': '5',
  fifth: '5',
  vi: '6',
  '6th': '6',
  sixth: '6',
  vii: '7',
  '7th': '7',
  seventh: '7',
  viii: '8',
  '8th': '8',
  eighth: '8',
};

/**
 * Degrees, professions and orders after a name. Those of the second list are also names: they count only after a comma,
 * in capitals or with periods.
 */
export const degrees = `
esq esquire md mds phd dphil edd jd jsd llb llm lld dds dmd dvm dpm dpt dnp psyd pharmd thd rn lpn lvn bsn msn np crnp
arnp aprn cpa cfa cfp clu chfc mba mpa mph msw lcsw lmft lmhc lpc mft bsc msc beng meng bcom bed mfa facs facp faan
aia faia frcs frcp pe_ obe mbe cbe kbe qc kc usn usa usaf usmc uscg ret retd notary ccim sra mai osb sj ofm csc op
cssr ssj ihm aprn cnm crna otr
`;
export const doubtfulDegrees = `
do od ma ba bs ms pe pa np dc la ms rev ret pt ra hon dr attorney atty lawyer trustee executor executrix administrator
administratrix agent guardian realtor broker physician surgeon dentist nurse teacher professor architect engineer
accountant notary judge clerk
`;

/** Particles before a surname. They are joined to the following word. */
export const particles = `
de del dela della delle dello dei degli delos delas di da das do dos du des d van vande vander vanden von vom zu zum
zur den der ten ter la le las los l lo st ste saint sainte san santa santo mc mac o al el ul bin ibn bint ben bar abu
abou abd af av ap op in t te fitz mor pri
`;
/**
 * Particles that are also given names, single letters or surnames. They are joined only if a word precedes them, or if
 * the caller says that they are particles.
 */
export const doubtfulParticles =
  'al el ben bar van o d l do le la in t san santa st santo te lo ter ten abu abd mac das op mor pri av ap af';

/** Words that join the two surnames of one person. */
export const surnameLinks = 'y e i';

/** Words that are usually surnames and sometimes given names: before a given name they are the surname. */
export const mostlySurnames = `
addison alden anderson anson ashton bailey baldwin barrett barron barry benson bennett blaine braden branch brooks
bryson burton buck burt byrd caldwell campbell carlton carroll carson clark clarke coleman conan corbin cordell
cornell cullen darby davis delgado denver dewitt dillon dorsey doyle drake dudley duke eaton ellison ferguson fletcher
ford foster frost garfield garland garrison gentry gibson gray greer griffin grover hadley hale hamilton harper harris
harrison hart hayes hickman hobbs hollis holmes houston hoyt hyatt irvin irwin jefferson judd kane keaton keegan
kelley kennedy king lamar lambert lamont lowell lyle lyndon marley marlow marsh may mckinley mercer merrill merritt
milford millard miller monroe montgomery morris murphy nash newton nixon noble norton odell orton owens page palmer
paxton payne porter prentice prescott prince quinton raleigh ramsey randall reeve rhodes roberson roscoe rusty sage
salmon sampson sanders sanford shaw shelton shepherd sherwood sinclair sloan stanton stone sullivan sutton talbot
tanner tate thatcher thornton thurman townsend turner tyson ward warner washington watson webster weldon wells wendell
wilder wiley wilkes willard willis wilson wilton winfield winslow winter woods woodrow worth wright york young marks
price hill rivers banks reyes cruz santos garcia lopez diaz silva
`;

/** Words common as both: before a given name that is no surname, they are the surname. */
export const surnamesToo = `
blair blake boyd bradley brady brock bryant carey carter casey chandler clay clayton clifton clinton colby cole cooper
curtis dale dalton darnell dawson dean donovan drew duncan earl elliot elliott ellis emerson emery emmett everett
flynn forrest franklin gale garrett graham grant grayson harlan harley harvey hayden heath howard hudson hunter irving
jackson jordan keith kelly kelsey kendall kendrick kent kerry kirby lance lane lawson lee leland lester lincoln logan
lynn mack madison marion marshall mason maxwell mckenzie mitchell morgan murray nelson nolan norris otis owen paige
parker payton perry peyton pierce preston quincy quinn reed reese reid riley rhett ross rowan royce russell ryder
sawyer scott shelby sheldon sherman spencer sterling stewart stuart taylor terrell todd travis truman tucker tyler
vance vaughn wade walker wallace warren wayne wesley weston whitney winston wyatt ramos santiago
`;

/** Surnames of cultures that put the surname first. Western order reverses the whole name. */
export const easternSurnames = `
nguyen tran le pham huynh hoang phan vu vo dang bui do ho ngo duong ly dinh doan lam trinh dao truong luu mai cao kim
park pak lee yi rhee choi choe jung jeong chung kang gang cho yoon yun jang chang lim im rim han shin oh seo suh kwon
hwang ahn an song ryu yu yoo hong jeon ko moon yang son bae baek nam noh wang li zhang liu chen yang huang zhao wu
zhou xu sun ma zhu hu guo he lin gao luo zheng liang xie song tang feng deng cao peng zeng xiao tian dong pan yuan cai
jiang du yu ye cheng wei su lu ding ren yao shen zhong jia xia fu fang zou xiong bai meng qin qiu hou yin jiang lei
long tao shi he gu mao hao gong shao wan qian tanaka sato suzuki takahashi ito yamamoto watanabe nakamura kobayashi
kato yoshida yamada sasaki yamaguchi matsumoto inoue kimura hayashi shimizu saito mori abe ikeda hashimoto ishikawa
yamashita ogawa ishii hasegawa okada fujita goto kondo murakami endo aoki sakamoto
nagy kovacs toth szabo horvath varga kiss molnar nemeth farkas balogh papp takacs juhasz lakatos meszaros simon racz
`;
