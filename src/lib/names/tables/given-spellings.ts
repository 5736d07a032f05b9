/**
 * Spellings of one given name: a line is one name. Forms of the two sexes, and names that merely look alike, have lines
 * of their own or in none. What a regular rule already makes equal (Marc and Mark, Ann and Anne) need not be here.
 */
export const givenSpellings = `
katherine catherine katharine catharine kathryn cathryn kathrine cathrine katheryn catheryn kathryne katherin
stephen steven stephan stevan stephven
geoffrey jeffrey jeffery jeffry geoffry geofrey
john jon jhon
philip phillip philipp phillipp
alan allen allan alun
lawrence laurence lawrance
elizabeth elisabeth elizabet elisabet elizabth
susan suzan
suzanne susanne suzann susann
susanna susannah suzanna suzannah
sara sarah
deborah debra debora debrah
michael micheal mikael michale mikhael
rebecca rebekah rebeca rebecka
brian bryan brien
teresa theresa theresia
steffi steffie
stephanie stefanie stephany stefany stephani
christopher kristopher cristopher christofer kristofer christoffer
christine kristine christene cristine
christina kristina cristina krystina
christian kristian cristian
kristen kristin kristyn
crystal krystal cristal chrystal
eric erik erick eryk
erica erika ericka
frederick frederic fredric fredrick frederik fredrik
matthew mathew matthieu mathieu
theodore theodor
theodor teodor
anthony antony anthoney
thomas tomas thomass
teddy tedde
dorothy dorothey dorathy
isabel isobel isabell ysabel
isabella izabella isabela izabela
isabelle isabell izabelle
caroline karoline carolin
carolyn karolyn carolynn caralyn
carl karl
carol karol carole carroll
zachary zachery zackary zackery zakary
nicholas nicolas nickolas nikolas niklas nicklaus
nicole nichole nikole
marc mark
marcus markus
margaret margret margarett margeret margarete margarethe
marjorie marjory margery
mohammed muhammad mohamed mohammad muhammed mohamad mohamet muhamed mehmed mohd muhamad
ahmed ahmad achmed achmad
hassan hasan
hussein husain hussain hossein husayn houssein hossain husein hussien
ali aly
abdullah abdallah abdulla abdulah
abdul abdel abdal
abdulrahman abdelrahman abdurrahman abdirahman abdalrahman
abdulaziz abdelaziz
khalid khaled halid chaled
omar umar omer
osman othman uthman usman ousmane
yusuf yousef youssef yousuf yusef yusof yosuf joussef
ibrahim ebrahim ibraheem
ismail ismael esmail
mahmoud mahmud mahmood
mustafa mostafa moustafa mustapha
said saeed saied sayed sayid syed sayyid
tariq tarek tareq tarik
jamal gamal jamaal djamal
fatima fatimah fatma fatemeh
aisha aysha ayesha aishah aicha
zaynab zainab zeinab zaineb
maryam mariam miriam myriam meryem
layla leila laila leyla lela
salma selma
amina aminah ameena
khadija khadijah khadeeja hadija
nour noor nur nura
samir sameer
karim kareem
rashid rasheed rachid
walid waleed oualid
bilal belal
nasser nasir naser
anwar anouar
faisal faysal feisal
jaffar jafar jaafar
suleiman sulayman soliman sulaiman suleyman
haroun harun
yahya yehia yahia
mansour mansur
alexander aleksander alexandre alexandr
aleksandr alexandr aleksander alexander
aleksandra alexandra
alexei aleksei alexey aleksey alexej aleksej
sergei sergey serguei sergej sergiy serhii
andrei andrey andrej andriy andrii
dmitri dmitry dmitriy dmitrij dimitri dimitry
nikolai nikolay nikolaj mykola
mikhail michail mihail mykhailo
yevgeny evgeny yevgeniy evgeni evgenii evgeniy jewgeni yevgeni
yekaterina ekaterina jekaterina
yelena elena jelena
yuri yury yuriy iurii juri jurij yurii
igor ihor
vladimir volodymyr wladimir
vasily vasili vasiliy vassily wassili vasyl
pavel pavlo
pyotr petr piotr petro
fyodor fedor feodor
grigory grigori grigoriy hryhoriy
oleg oleh
olga olha
natalia natalya nataliya natalja
tatiana tatyana tatjana
ksenia kseniya xenia ksenija oksana
anastasia anastasiya anastasija
sofia sophia sofya sofiya
yulia julia iuliia yuliya julija
svetlana svitlana
georgios giorgos yorgos georgos yiorgos
ioannis yannis giannis yiannis
konstantinos constantinos
dimitrios dimitris demetrios demetris
nikolaos nicolaos nikos
panagiotis panayiotis
aikaterini ekaterini
joseph josef
jacob jakob
abraham avraham
isaac isaak izak yitzhak
moses moshe moishe
samuel shmuel
solomon shlomo
rachel rachael
leah lea lia
hannah hanna hana
naomi noemi
jonathan johnathan jonathon johnathon jonothan
geraldine jeraldine
gerald jerald jerold gerold
gerard gerrard jerard
jeremy jeramy jeremey
jerry gerry
terry terri teri
terence terrence terrance
toni tony
cathy kathy cathie kathie
kathleen cathleen kathlene
cindy cyndi cindi
cynthia cinthia
sandy sandi
vicky vicki vickie vikki
jackie jacky jacqui
jacqueline jaqueline jacquelyn jacklyn jacquelin
tracy tracey traci tracie
stacy stacey staci stacie
kelly kelley kelli kellie
shelly shelley
shirley shirlee
sheila shelia sheilah
sherry sherri cherie sheri
cheryl sheryl cheryle
sharon sharron
shaun sean shawn
shaune shauna shawna
keith kieth
kenneth kennith
craig kraig
curtis kurtis
kurt curt
clark clarke
claire clare clair
clara klara
conrad konrad
connor conor
cassandra kassandra
caitlin kaitlyn katelyn caitlyn kaitlin kaytlin
kayla kaila
kimberly kimberley kimberlee
lindsay lindsey linsey lyndsey lyndsay
lesley leslie
lynn lyn lynne linn
linda lynda
lillian lilian lilyan
lily lilly lillie
lewis louis
luke luc
lucas lukas
lucy lucie
madeline madeleine madelyn madalyn madaline
madison maddison
marilyn marylin marilynn marylyn
maria marya mariya
mathias matthias mattias
megan meghan meagan
melanie melany
melissa melisa
michelle michele michell
monica monika
nathan nathen
nathaniel nathanael nathanial
neil neal niel neill
oliver olliver
oscar oskar
patrick patric
patricia patrisha
paula paola
raymond raymund
randal randall
reginald reginold
reuben ruben rubin
richard rickard ritchard
roger rodger
roland rowland
ronald roland
rosemary rosemarie
roxanne roxann
russell russel
sebastian sebastien
sidney sydney
sonia sonya sonja
stuart stewart
sylvia silvia
tania tanya tanja
tobias tobiah
tiffany tiffanie
valerie valery
vincent vinzent
virginia virgina
vivian vivien vivienne
walter walther
wesley westley
wilhelm willhelm
william willaim wiliam
wolfgang wolfgong
yvonne ivonne
yvette ivette
harald harold
henrik henrick
hendrik hendrick
heinrich heinrick
johann johan
johannes johanes
jorgen joergen
jurgen juergen
bjorn bjoern
soren soeren
goran goeran
kare kaare
hakan haakon hakon
oystein oeistein
ase aase
pal paal
joaquin joachim
beatriz beatris
esther ester
helen hellen
eleanor elinor eleanore elenor
ellen elen
eileen aileen
evelyn evelin
emily emilie emely
aaron aron
adrian adrien
agnes agness
aidan aiden ayden
alastair alistair alasdair alister
alicia alisha alesia
allison alison alyson allyson
amy aimee
andrew andru
ann anne
bobby bobbie bobbi
angela angella
annette anette
annabel annabelle
antoine antwan
arthur artur
ashley ashlee ashleigh
barbara barbra
benjamin benjamen
bernard barnard
bethany bethanie
brandon branden brandyn
brenda brendah
brittany britney brittney
bridget brigid brigitte bridgett
bruce bruse
cameron kameron
carlos karlos
cecilia cecelia
charles charels
chloe khloe
clifford cliford
colin collin
cory corey kory
damian damien damon
darrel darrell daryl darryl
denise denice
dennis denis
devin devon
diana dianna
diane dianne dyan
dominic dominick dominik
donald donal
douglas douglass
duane dwayne dwain
edmund edmond
elaine elain
elliot eliot elliott
ernest earnest
ethan ethen
faye fay
felicia phylicia
gabriel gabriell
gabriela gabriella
gabrielle gabriele
garret garrett garett
glen glenn
gregory gregery greggory
greg gregg
grey gray
gwendolyn gwendolen gwendoline
hayley hailey haley haylee
hillary hilary
hugh huw
irene irine
jared jarrod jarod jerrod
jasmine jazmin yasmin jasmin yasmine
jennifer jenifer
jesse jessie
jill gill
joanne joann joan-anne
jordan jorden jordon
julie julee
justine
karen karin karyn caren
kate cate
katie katy
kyle kile
lauren loren lauryn
lorraine loraine
leonard lenard
leigh lee
lisa leesa
logan logen
lorenzo lorenso
louise luise
luis luiz
marvin marvyn
maxwell maxwel
miles myles
mitchell mitchel
nadia nadya
norman normen
owen owain
penelope penelopy
phyllis phillis
quentin quintin
rafael raphael
robin robyn
rodney rodny
rudolf rudolph
samantha samanta
shannon shanon
simon symon
sophie sofie
spencer spenser
stanislav stanislaw
tamara tamera
taylor tayler
timothy timothey
trevor trever
tristan tristen trystan
tyler tylor
tyrone tyron
vanessa venessa
veronica veronika
victor viktor
victoria viktoria
yolanda iolanda
zoe zoey
jiri yiri
li lee
wei way
xiao hsiao
zhang chang
zhou chou
xu hsu
cai tsai
qian chien
jian chien
guo kuo
park pak bak
choi choe
yi lee rhee
jung chung jeong
kwon gwon
kang gang
`;
