// size: a table, one entry to a line
/**
 * Given names with their short forms, pet names and old abbreviations in many traditions, without diacritics.
 *
 * A line is one given name, a colon, and its short forms. A short form may occur in several lines: Bert is Albert and
 * Robert. The same name in another language (John, Juan) is not included: on paper they are two names.
 */
export const nicknames = `
aaron: ron ronnie ari
abigail: abby abbie gail abi
abraham: abe bram abie avi
adam: ad
adelaide: addie ada della heidi
adeline: addie ada della
adriana: adri
adrienne: addie adri
agnes: aggie nessa
aidan: aid
alan: al
albert: al bert bertie albie
alberta: bertie allie berta
alejandra: ale jandra sandra
alejandro: ale alex jandro sandro
alessandro: sandro ale alex
alexander: al alex alec alix lex sandy sander xander zander sasha aleck eck alexdr alexr
aleksandr: sasha sanya shura alex sash
aleksandra: sasha alex ola shura
alexandra: alex alexa allie lexi lexie sandra sandy sasha ali
alexis: alex lexi lexie
alfonso: fonso poncho al
alfred: al alf alfie fred freddie freddy alfd
alice: allie ally elsie
allison: allie ally ali
alicia: licia allie
alphonse: al fonz
alvin: al
amanda: mandy manda mindy
amelia: amy millie mellie mia
anastasia: stacy stacey nastya ana tasia asya stasya
anatoly: tolya tolik
andrew: andy drew andie dru andw
andreas: andi
andrea: andie andy drea
andrei: andryusha
angela: angie angel
angelica: angie angel
angelina: angie lina
ann: annie nan nancy nannie anny
anna: annie anya ania nan anja annushka asya
annabelle: anna belle bella
annette: annie netta
anthony: tony ant anto anty
antoine: tony toine
antoinette: toni nettie netta
antonio: tony tonio toni nino tonino tono
antonia: toni tonia
archibald: archie baldie arch
arkady: arkasha
arnold: arnie arn
artemio: temo
arthur: art artie arty
augustus: gus august augie
augustine: gus augie august austin
aurelio: lelo
avraham: avi avrum
barbara: barb barbie babs bobbie barbra basia
barnabas: barney barny
barnard: barney
bartholomew: bart barty bat tolly
bartolomeo: bart meo
basil: baz
beatrice: bea trixie bee trix beattie
beatriz: bea betty
belinda: linda lindy bel
benedict: ben benny bennie
benjamin: ben benny benji benj bennie benjn benjie
bernadette: bernie detta
bernard: bernie barney berny bern
bernardo: nardo berna
bernice: bernie bunny neecy
bertha: bertie birdie
bertram: bert bertie
bonita: bonnie
boris: borya
bradford: brad
bradley: brad lee
brandon: bran
brenda: bren
brendan: bren
bridget: bridie biddy bridie brid
caleb: cal
calvin: cal vin vinny
cameron: cam
camille: cami millie
carl: carlie
carlos: charly carlitos litos
carmen: carmela menchu
carmine: carm
carol: carrie cary
caroline: carrie lina caro callie
carolyn: carrie caro
cassandra: cass cassie sandy
catalina: cata lina
cecilia: cec celia cissy sissy ceci
charles: charlie charley chas chuck chip chaz chick charly carlie
charlotte: lottie charlie lotte char carlotta
chaim: hymie
chester: chet
christian: chris kit christy
christina: chris chrissy christy tina chrissie kit
christine: chris chrissy christy tina chrissie chrissy
christopher: chris kit topher chrissy christo christr kris cris
cindy: cyndi
clarence: clarry clem
claudia: claudie
clement: clem
clementine: clem clemmie
clifford: cliff
clifton: cliff
clinton: clint
clyde: cly
concepcion: concha conchita
concetta: connie tina cetta
conrad: con connie
constance: connie
consuelo: chelo connie
cordelia: delia cordy
cornelia: nelly nellie cornie
cornelius: con neil corny neal cees kees cor niels
courtney: court
cristina: cris tina
crystal: chris crys
curtis: curt
cynthia: cindy cyndi cindi
cyril: cy
cyrus: cy
dmitri: dima mitya dimitri mitri
daniel: dan danny dannie danl danilo
daniela: dani
danielle: dani danny elle
daria: dasha
david: dave davy davey davie dai
deborah: deb debbie debby debra debbi
delbert: del bert
delia: dee
delores: dee lori
denis: den denny
dennis: den denny
desmond: des
diana: di dee
diane: di dee
diego: dieguito
dolores: lola loli dolly lolita dee
dominic: dom nic nick dommy
domenico: mimmo dom nico menico
dominick: dom nick
donald: don donnie donny
donna: donnie
dorothea: dot dottie thea dora dory dolly
dorothy: dot dottie dolly dory dora dorrie
douglas: doug dougie
duncan: dunc
dwayne: wayne
earnest: ernie
eben: ben
ebenezer: eb eben
edgar: ed eddie
edith: edie
edmund: ed eddie ned ted eddy
eduardo: lalo edu eddie edy
edward: ed eddie ned ted teddy eddy edw edwd
edwin: ed eddie ned win edw
eileen: eily
eleanor: ellie nell nora nellie elle
elena: lena ellie lenochka
elias: eli
elijah: eli lige
elizabeth: liz lizzie beth betty bess bessie betsy eliza elsie libby lisa liza lizzy betsey bette bettie ellie buffy \
lib lilibet eliz elisa lise ella elsa
elisabeth: lisa liesl elsa else lisbet sissi elli
ella: ellie
ellen: nell nellie ellie nelly
elliot: el
elvira: elvie vira
emanuel: manny
emily: em emmy millie emmie
emma: em emmy
emilio: milo
enrique: quique kike rico quico enri
erasmus: ras
eric: rick ricky
erica: ricki rikki
ernest: ernie ern
ernesto: neto tito ernie
erwin: win
estella: stella essie
esther: essie hettie etty
esteban: este teban
ethel: eth
eugene: gene
eugenia: gina genie zhenya
eugenio: geno
eva: evie evita
evangeline: eve evie angie vangie
evelyn: eve evie ev
evgeny: zhenya
ezekiel: zeke ez
ezra: ez
faith: fay
federico: fede rico lico freddy
felicia: flick
felicity: flick liss
felipe: lipe pipe
ferdinand: ferdie fred
fernando: nando fer ferdi
filippo: pippo
florence: flo flossie florrie flora
fyodor: fedya
frances: fran frannie fanny francie franny frankie
francesca: cesca fran franny
francesco: franco cecco ciccio frank
francis: frank fran frankie franny
francisca: paca paquita pancha kika cisca fran
francisco: paco pancho frank cisco curro kiko quico paquito frankie chico fran
franklin: frank frankie
franz: franzl
frederica: freddie rica
frederick: fred freddie freddy rick ricky fritz fredk derick fredrick
friedrich: fritz fred
gabriel: gabe gabby gaby
gabriela: gaby gabby
gabrielle: gabby gaby elle brie gabi
gareth: gaz
gary: gaz
gaspar: gasparo
gavin: gav
genevieve: gen ginny jenny viv
geoffrey: geoff jeff
george: georgie geo geordie
georgia: georgie
georgios: giorgos yorgos
georgina: gina georgie
gennady: gena
gerald: gerry jerry ger
geraldine: gerry jerry geri deena dina
gerard: gerry jerry rod
gerardo: lalo gera
gerhard: gerd hardy
gertrude: gert gertie trudy trudie
giacomo: mino
gianluca: luca gian
gilbert: gil bert bertie gib
gilberto: beto gil
giovanna: gianna vanna
giovanni: gianni nino vanni gio giannino
giuliana: giulia
giuseppe: beppe peppe pino peppino beppo joe geppo
gladys: glad
gloria: glo
godfrey: jeff
gordon: gordie
grace: gracie
graciela: chela
gregorio: goyo greg
gregory: greg gregg greggie gregor
gretchen: greta
grigory: grisha
griselda: selda zelda
guadalupe: lupe lupita
guillermo: memo guille billy willy
gustav: gus
gustavo: gus tavo
gwendolyn: gwen wendy lyn
hannah: nan
hans: hansi
harold: harry hal hap
harriet: hattie harry hatty
harrison: harry
harvey: harv
heinrich: heinz heini hein
hector: tito
helen: nell nellie lena nelly
helena: lena nell hela
heather: hettie
henrietta: etta hattie henny hetty retta hettie
henry: hank harry hal hen henny
herbert: herb bert bertie herbie
herman: herm manny
hershel: hersh
hilary: hil
hortensia: tencha
hector: heck
hezekiah: hez ky
horace: harry
horatio: harry
howard: howie hal
hubert: bert hub
hugh: hughie
humberto: beto
ibrahim: ibo
ignacio: nacho iggy
ignatius: iggy nate
ignazio: nazio
immanuel: manny
inocencia: chencha
ione: nonie
ira: ike
irene: rena reenie
irina: ira
irving: irv
irwin: irv win
isaac: ike zac isa zak
isabel: bella belle isa izzy ibby bel chavela chabela
isabella: bella belle isa izzy ella izzie
isabelle: bella belle isa izzy
isidore: izzy dory
isidro: chilo sidro
israel: izzy issy
ismael: mayo
ivan: vanya
jackson: jack
jacob: jake jack jay jaap coby koby jakob jeb
jacqueline: jackie jacqui jacky
jacobus: jaap koos
jaime: jimmy jim
james: jim jimmy jamie jimmie jas jem jimbo jay jms
jamal: mal
jane: janie jenny janey
janet: jan jenny
janice: jan
jasmine: jazz jas
jason: jay jase
jasper: jas
javier: javi xavi
jean: jeanie jeannie
jeanette: nettie jeannie netta
jedidiah: jed
jeffrey: jeff
jemima: mima jem
jennifer: jen jenny jenn jennie
jeremiah: jerry jem miah jere
jeremy: jerry jem jez
jerome: jerry romy
jeronimo: jero
jesse: jess
jessica: jess jessie jesse
jesus: chucho chuy chus suso
joachim: jochen achim jo
joan: joanie joni
joanna: jo annie josie asia
joanne: jo annie
joaquin: quin quino joaco chimo
jocelyn: joss
johann: hans jo
johannes: hans jan jo johan hannes
john: jack johnny jock johnnie jno jackie
jonah: joe
jonathan: jon jonny jonnie johnny jonathn
jordan: jordy judd
jorge: coque yoyi
jose: pepe pepito che chepe joe josepe joselito
josefa: pepa fina pepita chepa
josefina: fina josie pepa pina
joseph: joe joey jos jody jo
josephine: jo josie josey fina jody posy
joshua: josh
joyce: joy
juan: juanito juancho juanjo
juana: juanita juanna
judith: judy judie jody judi
julia: jules
julian: jules jule
juliana: liana
juliet: jules
julio: julito
julius: jules jule
july: jules
justin: jus
karen: kari
katherine: kate kathy katie kat kitty cathy kay kit kathie katy kath cassie trina rina katya
katarzyna: kasia
kenneth: ken kenny kenn
kevin: kev
khadija: dija
kimberly: kim kimmie kym
konstantin: kostya
konstantinos: kostas costas gus dinos
kristina: kris tina kristy
kristine: kris tina kristy
kristen: kris kristy
kristopher: kris
krzysztof: krzysiek krzys
lambert: bert
lancelot: lance
laura: laurie lolly lori lauri laurita
lauren: laurie ren
laurence: larry laurie lonny
lavinia: vinnie vina
lawrence: larry laurie lawrie lonnie lon
leandro: lea
leanne: lea annie
leon: leo
leonard: len lenny leo lennie
leonardo: leo nardo
leonid: lyonya
leonor: nora
leopold: leo poldi
leroy: lee roy
leslie: les
lester: les
letitia: tish lettie titia
lev: lyova
lewis: lew lou louie
lillian: lil lily lillie lilly
lincoln: linc
linda: lindy lin
lindsay: lin
lodewijk: lode
lorena: lore
lorenzo: enzo renzo lencho
loretta: etta lori retta
lorraine: lori lorrie rainy
louis: lou louie lewie
louisa: lou lulu
louise: lou lulu
lourdes: lulu
lucas: luke
lucia: lucy luz
lucille: lucy lou cille
lucinda: lucy cindy
ludmila: lyuda mila luda
ludwig: lutz lou wiggerl
luigi: gigi gino
luis: lucho lou luisito
lydia: lyddie
lyubov: lyuba
mackenzie: mac kenzie
madeline: maddie maddy lena mads
madeleine: maddie maddy
magdalena: lena magda maggie
malcolm: mal
manuel: manny manolo manu manolito lolo
manuela: manola
marcella: marcy marcie
marcus: marc mark
marcia: marcy marcie
margaret: maggie meg peggy peg marge margie margo madge daisy greta rita maisie mags meggie margt mamie mog meggy \
gretta marjie marg
margarita: rita marga mago
margherita: rita ghita
marguerite: margie rita daisy
maria: mia maruja mariquita marita mimi
marianne: mary annie
maricela: mari
marina: rina
mario: mayo
marisol: sol
marjorie: marge margie marj
marshall: marsh
martha: marty mattie patty matty
martin: marty mart
martina: tina
marvin: marv
mary: molly mamie polly mae may minnie moll mollie maisie mimi pollie
matilda: tilly mattie maud tillie matty tilda
matthew: matt matty
mateusz: mati
maud: maudie
maureen: mo reenie
maurice: mo maury morrie moe
mauricio: mau
maxim: max
maximilian: max
maximiliano: max maxi
maxine: max maxie
maxwell: max
mehmet: memo
melanie: mel
melinda: mel mindy lindy linda
melissa: mel missy lissa millie
melvin: mel vin
mercedes: mercy meche merche sadie
meredith: merry
merrill: merry
michael: mike mick mickey micky mikey mitch michl midge mickie micah
michaela: mickie
michal: misiek
michele: lele
michelle: shelly micki mickey chelle shelley
miguel: mickey mike migue miguelito
mikhail: misha mike
mildred: millie milly
millicent: millie milly
milton: milt
minerva: minnie
miranda: mira randy
miriam: mimi mitzi mirry
mitchell: mitch
mohammed: mo moe hamoudi
moises: moi
montgomery: monty gomer
mordecai: mordy
mortimer: mort
morton: mort
moses: mo moe mose
moshe: moishe
muhammad: mo
myron: ron
nadezhda: nadia nadya
nancy: nan nance
naomi: omi
napoleon: nap leon
natalia: nat natasha tasha talia nata
natalie: nat nattie
natalya: natasha tasha nata
nathan: nat nate
nathaniel: nat nate nathan nathl natty
nehemiah: nemi
nellie: nell
nelson: nels
nicholas: nick nicky nico claus nicki klaus
nicola: nicky nick
nicolas: nick nico colas
nicole: nicky nikki nic
nikolai: kolya nick
nikolaos: nikos nick
nikolaus: klaus niklas nick
noel: noley
norbert: bert norb
norma: normie
norman: norm
obadiah: obie
octavia: tavia tavy
octavio: tavo
oksana: ksenia
olga: olya
oliver: ollie olly noll
olivia: liv livvy ollie livia
olivier: olly
ophelia: phelia
orlando: lando roland
oscar: ozzie
oswald: ozzie oz waldo
pablo: pablito
pamela: pam pammy
paolo: paolino
pasquale: pat lino
patience: pat patty
patricia: pat patty tricia trish patsy pattie patti tish pati
patricio: pato
patrick: pat paddy patsy rick patk
paul: paulie pol
paula: paulie polly
pauline: polly paulie
pavel: pasha
pedro: perico pedrito perucho
penelope: penny nell pen
percival: percy perce
pernilla: pia
peter: pete petey pietie
petra: pet
petronella: nel nelly nellie
petros: pete
philip: phil pip flip philo
philippa: pip pippa
philomena: mena
phillip: phil pip
phineas: finn phin
phoebe: pheebs
phyllis: phyl
pietro: piero
piotr: piotrek
pilar: pili
presley: lee
preston: pres
priscilla: cilla prissy pris
prudence: prue
pyotr: petya
quentin: quent
quincy: quin
rachel: rae rach shelly
rafael: rafa rafi
ramon: moncho ray
randall: randy
randolph: randy dolph
raphael: rafe raffi rafi
raul: rulo
raymond: ray
raymundo: mundo
rebecca: becky becca reba beck beckie
refugio: cuca cuco
regina: gina reggie ginny
reginald: reg reggie rex ronnie
reinhard: hardy
remedios: reme
rene: ren
reuben: rube ruben
reynaldo: rey
ricardo: rick ricky rico richie cardo
richard: rick dick rich richie ricky dickie rickey ritchie richd dicky dickon
robert: bob bobby rob robbie bert bobbie robby rab dob robt bobbi
roberta: bobbie robbie bert berta
roberto: beto rob tito bob berto
roderick: rod roddy rick
rodney: rod roddy
rodolfo: rudy rodo fito
rodrigo: rod rodri
rogelio: roger roge
roger: rodge hodge rog
roland: rollie rolly
romeo: meo
ronald: ron ronnie ronny
rosa: rosie rosita
rosalie: rose rosie
rosalind: roz rosie ros
rosamund: roz rosie
rosario: charo chayo
rosemary: rose rosie romy
rosanna: rose rosie
roxanne: roxy rox
rudolf: rudi rudy dolf
rudolph: rudy dolph
rufus: rufe
rupert: rupe
russell: russ rusty
ruth: ruthie
salvador: chava sal
salvatore: sal sam sally toto turi
samantha: sam sammy
samson: sam
samuel: sam sammy saml shmuel
sandra: sandy
santiago: santi chago yago
sarah: sally sadie sara sal sari
saul: sol
saverio: rino
sebastian: seb bastian basti sebby
selina: lina
serafina: fina
serena: rena
sergei: seryozha serge
sergio: checo
severino: rino
seymour: sy
shannon: shan
sharon: shari
shaun: shay
shelby: shel
sheldon: shelly shel
shirley: shirl
shlomo: sol
sidney: sid
siegfried: sigi
sigmund: sig ziggy
silvestre: silver
silvia: silvi
simon: si
simone: simmy
sofia: sofie
sokrates: soc
solomon: sol solly
sophia: sophie sofi
sophronia: sophie
soledad: sole chole
spencer: spence
spiridon: spiro
spyridon: spyros spiro
stanislav: slava stas
stanislaw: stan stach staszek
stanislaus: stan
stanley: stan
stefan: steff
stefano: ste
stella: stell
stephanie: steph stephie annie stevie steffi stefanie
stephen: steve steph stevie
steven: steve stevie
stuart: stu
stewart: stu stew
susan: sue suzie susie suzy sukie
susana: susi susie
susanna: sue susie sanna sukey
susannah: sue susie sukey
suzanne: sue suzie suzy zanne
svetlana: sveta lana
sylvester: sly vester
sylvia: syl sylvie
tabitha: tabby
tamara: tammy tami toma
tanya: tan
tatiana: tanya tania tana
tatyana: tanya tania
teodoro: teo doro
teresa: terry tess tere teri teresita
terence: terry tel
terrance: terry
terrence: terry
thaddeus: thad tad ted teddy
thelma: thel
theodora: dora theo thea
theodore: ted teddy theo tad
theodoros: theo
theophilus: theo
theresa: terry tess tessa teri resi tessie terri
therese: terry tess
thomas: tom tommy thos tommie tam thom
tiberius: tibor
tiffany: tiff
timothy: tim timmy timmie timy
tobias: toby tobe
tomas: tom tommy tomy
tommaso: tom masino
torbjorn: tobbe
tristan: tris
tristram: tris
tyler: ty
tyrone: ty
ulrich: uli ulli
ulysses: lys
urban: urb
ursula: uschi ulla ursel
valentin: val valya
valentina: val tina valya
valentine: val
valerie: val
vanessa: nessa van
vasily: vasya vaska
vasilios: bill vasilis billy
veronica: ronnie vero roni nica vonnie
vicente: chente
victor: vic vick
viktor: vitya
victoria: vicky tori vicki vickie vikki viki toria
vincent: vin vince vinnie vinny
vincenzo: enzo vince cenzo vinnie
violet: vi
virgil: virg
virginia: ginny ginger gina virgie jinny
vivian: viv
viviana: vivi
vladimir: vlad vova volodya
volodymyr: volodya vova
waldo: wally
wallace: wally wal
walter: walt wally wat
walther: walt
wanda: wandy
warren: ren
washington: wash
wendell: dell
wenzel: wenz
wesley: wes
wilbert: will bert
wilbur: will wilb
wilfred: will fred wilf
wilhelm: willi will willy helm
wilhelmina: minnie mina willa billie wilma mena mina
william: bill billy will willie wm willy liam bil willm wiliam bille
willis: will
willard: will
wilma: will
winfield: win
winifred: winnie freddie win fred
winston: win winnie
winthrop: win
woodrow: woody
xavier: xavi zav
ximena: xime
yekaterina: katya
yelizaveta: liza
yevgeny: zhenya
yevgenia: zhenya
yitzhak: itzik
yolanda: yoli yola
yosef: yossi
yehuda: yudi
yuri: yura
zachariah: zach zack zac
zachary: zach zack zac zak
zebulon: zeb
zechariah: zech zack
zdzislaw: zdzich
abdullah: abdul
fatima: fati
jadwiga: jadzia
malgorzata: gosia
agnieszka: aga
tadeusz: tadek
wojciech: wojtek
zbigniew: zbyszek
jiri: jirka
frantisek: franta
vaclav: vasek
katerina: katka kat
lubomir: lubos
milos: misa
laszlo: laci
istvan: pista
jozsef: jozsi
ferenc: feri
gyorgy: gyuri
sandor: sanyi
janos: jancsi
erzsebet: erzsi bozsi
ilona: ica
katalin: kati
kalman: kalmi
dragan: gagi
slobodan: boban
aleksandar: aca sasa
hendrik: henk rik hein
cornelis: kees cor
johanna: hanna hanne jo
gerrit: ger
willem: wim pim
antonius: ton toon
theodorus: theo dorus
maarten: mart
pieter: piet
dirk: dick
margaretha: greet gretha greta
geertruida: truus
wilhelmus: wim
matthijs: thijs
mathias: matti
matthias: matti hias
josef: sepp jupp pepi
katharina: kathi kati trina
karoline: lina
magdalene: lena leni
anneliese: anni liesl
hans-joachim: hajo
karlheinz: kalle
dietrich: dieter
guenther: guni
sigrid: siri
kristoffer: kris stoffer
ingeborg: inge
lars: lasse
bjorn: nalle
karin: kajsa
rasmus: ras
soren: sorry
francois: fanfan
jean-baptiste: jb
jean-francois: jf
catherine: cathy cat kate katie kathy kitty kay cathie kit trina
guillaume: guy gui
michel: mimi michou
nicolette: nicky colette
patrice: pat
genaro: gena
consolacion: conchi
encarnacion: encarna
asuncion: asun chon
ascension: chencho
trinidad: trini
esperanza: espe lancha
montserrat: montse
dulce: dulcie
natividad: nati
visitacion: visi
primitivo: tivo
gumersindo: sindo gume
fulgencio: fulge
hermenegildo: gildo mere
inmaculada: inma macu
maria-teresa: maite
maria-jose: marijose
maria-luisa: marisa
maria-isabel: maribel
ana-maria: anamari
luis-miguel: luismi
juan-jose: juanjo
juan-carlos: juanca
jose-maria: chema
jose-luis: joselu pepelu
jose-manuel: chema
jose-antonio: joseantonio
joao: joaozinho
goncalo: gonca
gonzalo: gonza chalo
edmundo: mundo
armando: mando
leopoldo: polo
apolinar: polo
hipolito: polo
marcelino: chelino lino
marcelo: chelo
celestino: tino
florentino: tino
faustino: tino
constantino: tino
agustin: tin cucho agus
valentino: tino val
norberto: beto
adalberto: beto berto
alberto: beto al tito berto
heriberto: beto
rigoberto: rigo beto
dagoberto: beto
evaristo: varo
alvaro: varo
genoveva: veva
eulalia: lala
rosalia: rosa lia
amparo: ampi
araceli: celi cheli
elizabet: eli
ezequiel: cheque
gertrudis: tula
`;
