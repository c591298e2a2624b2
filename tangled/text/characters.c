/* What Unicode says of a character. */
#include "text/characters.h"
#include <string.h>

static const unsigned char kinds[] = {
    0, 1, 8, 4, 12, 32, 2, 64, 192, 17, 16
};
static const char runs[] =
    "ZL01%]G%]%[#Z5_2Z*_2LZ'&_3%'R'-#'!$G3!#2!(#'B'^I!`5![rJG[4[MSZ0#!#]6j"
    "G*`JS!.-H'#Z%#'9!#!^$!k5!w-!Y-|V!aR-#Z*b;2Z%c9')'4'4')Z;_AGH2[(Z'82!2"
    "-[/'$!2bU^5[#L.)nM'#Z7$!Z,.4!N.[#9-#[R!$#)`*_G-lG[0#[M[#`OZQ.!A#R^:N#"
    "ZQ#C#Y-]%!_'C-'![)R^T!Z&]6bJ_&`%D!e.*!)#8ZGG)-#NDZV52[#'],*8Z=-.-^:!Z"
    "1!#8H-)#8OZ;)#[B.!95-[#.-Z+-#G5-Z&G.-^:!Z1!.!.!.-)G5G5-5)8*Z0H!#Z0[#5"
    "9*[(5-ZK!9!^:!Z1!.!S-)#8Z!!5G)-#[X.5-[#'Z;#Z0*8Z=-.-^:!Z1!.!S-)#!*!OZ"
    ";)Z;*R.!95-[#!#Z+ZU*#!Z&89!H8.!#!.8.898[4Z%*[3)-#^.[H[B*GZ=!9!^I!],8#"
    "DRD!D)Z04!9-#-.5-[#Z;Z6!#*8Z=!9!^I!ZV!S-)#!*Z%*R*)[X.!.5-[#!.[M*-ZK!9"
    "!b;-#8OZ;)#R9!Z695-]V!Z&R]F8^T!ZK!#-Z18)Z0D!*[X[#G'[3cX*.OCRZ1*ND'[#2"
    "aF.!#!S!^T!#!ZV*.O4!5#-S!#!N5-[#-H`C#8]%!'84Z%^)!)!)!)L-Z=!a8GYON*!Y'"
    "4S[0!aCZJ)ZJWG2aFbU-O!Z!)!4-5#[#Z*Z&-5HD#8.Z09O[C*-5Z%)#![#8*-aR!#R#-"
    "bU'Z|/!H-Z1!#!H-b;!H-`O!H-Z1!#!H-[Y!eS!H-gY-CZO^)8],]+l!-Z&-']pX2]7%_"
    "228iIABZ=Z0]F5)ZU]Q5)2ZJ]F5[3[C!9!5[3dP5!Z8Z;*-ZR)*A#A!#)-[#Z%[#Z%[-D"
    "$![#Z%lGZ0S-a!)#RhFZU`5!DG5ZJ*Z%CZ;2[#`*-S[(c(G_2Z%[.aF^I4-*-2e#!*!Z8"
    "!)!*-ZGZ%5ZF-)[#Z%[#Z%Z5#Z*-[TgMO!cM)!Z!!*R*-Z=8[#Z5ZUZQ[35!`*!O-5!)5"
    ".[#c()!58*!DZULa8Z;ZG-*)8W[#89[#a82[)RbU-9ZDZ;C'[I!Z7H)Z&).!4#RZ^8e4Z"
    "%NZpF-Z&-aR-Z&-Z=!#!#!#!`5-e#!Z1!#89!Z18H-Z&G[CR9!Z18[+T^X0T%^(![G![8"
    "%T!ZW(#-Z+82#[#82![CdD[IG)8[:]6#G#-ZV!#8SZ%#!#!#!H![)-HRSG#!dJ.X[bEL_"
    "V2Zw*fEj1^C]p'[R`/d*2`4[![g$^Bg(L`C2[~AZf/Z%HC.RL(2aR!#R#-eHZ0#'[M)^I"
    "ZJZ1!Z1!Z1!Z1!Z1!Z1!Z1!Z1!`JcQ#]U[oV%A!.([!-[8!ZPN-'S-B.'8l!-4-9'lR'H"
    "RbU!mJ8MZU`DcW],`C[#`)ZE!]&`C[#b$]&Zy;Z[t8g3]ifD`x/gXcB2ZnKA],[#.^#cM"
    ")8'[$'`54hF[#4Z*`4ZK-oE-gY-.!#!Z=^.],*9)H*^I-5ZJZ+ZUdPLZUd6]+)ZJ2[#Z%"
    "]LZ&A#'.![#_LZ!C2^I[0[B'_W8D!cM)-O-*G[G!#[#G2S*ZV[#S!b;Z--5-5ZJ9*Z=*8"
    "[#-L^I8#!*!d6)#C.4S4#)#^S92[)!5-29!)ZUZ&-Z&-Z&ZJZ1!Z1!bU![NZ%r)-*-*-'"
    "!)-[#Z%Zwq([3^IGd+fZSZZoI[_67p6b#Z1[3SR#)ZV![C!S!#!.!.!pH`N[^E2]+g4-e"
    ".b/[4G]3[!Z%]2a1![R!'G'!2GS!v5-$!A!Z*!L[#282_2A!'!_2'!'!Z5lG8Z&-Z&-Z&"
    "-9_K:!$-[4!_2!]Q!.![Y-[N`YsQRAGc8[3eX]63qJ)u1_W8d+[X)_FG`DMZJ^$(Z=(Ra"
    "RYR`*!'a8GZ='XbI{.-[#Z%a8Ga8Gb0Z;dP[('[)![Y!Z1!.![)![Y!Z1!.8dP[3ZwEZJ"
    "^:ZUZ=^SZ&!bJ!ZKh6Z&-#!c(!.8#-^I!'ZE^I-Z6`5Z;ZPcW]Q!.RX^:Z+8'_2R'g3eH"
    "G3.]1-cG#D!5R*)*)H!9!_W-CG)ZPZ0ZOZ0_W3'_WB`CZ=!_L4GXZ5ZJe.8Z5^:-ZE]QR"
    "ZE]FZ0L[3Z6jKi/e8dE[BdEZ0Z+a8[3[#Z%[#_LZJ^IZcU`:!bJZ%.]+9f0_W[##Z;^:["
    "(M_=]FcA^/Z6^#^IZU*!e#[U)Z5G`/!.-#ZJ)5!c38O-42$L[M_'Z0[#Z%Ca8Z!!Z-4!["
    "#L#-#Z;a-)2#ZJ5!cX8ZR-HW)5'-[##'#A!^)[(]F!_'8D-*!)*Z*!.g(Z1!#!H![Y!ZV"
    "'Z%cM*8Z-4R[#Z%58Z=-.-^:!Z1!.!S-)#-*[X#[3SGZ78Y[(ZV!#-#!aR!#_&#!#c'e#"
    "]EHR[#R9`)cX8Z-!*G5!4.'#Z;[#|UcM8OZ%5!4^MH5`YcX8ZG-*!)*A#[([#aQbU*!*-"
    "Z-!)#Z0[#Z%^)_K_A-D-O!O)G[9A!Z1Z[Vc(r3g4]V[3Z=-#-Z=!.!^T[X#!#[M[#hEZ="
    "-b%]+#!#_K#ZUb0Z0#^.#[(cB]P#]Ei/Z_T`O[X[#Z%ZK!aG]6#[X`$R`*q;Z1!.!aR^."
    "#ZJ[#Z%Z&!.!`D[M#Z0[#Zw5]Q[X#![C!a!_K[#kY#[X^4bT_hRo5q6!W[(Z_0ik7n3[X"
    "`dD]6Z&_&qjUR]i)Z^`V`*]E[#d`E]f+Z0`5![#G2jA![#Z%`*-Y'ZUcXZ7WGH'[([#!Z"
    "6!^/R]Q[m+c38[#Z_Ig4^Np!iIR#fUO[Cg3.!#_K~ZPZ;acJb:ZVZjkTH!Z1!.!Zs5[X#"
    "_V9-#[MHZ;[eDgn#p9R[C8ZKZ0ZV8*)'Irl3[#`q:CZJZAZF-Z7`)Ny'CsP^)[3^)pG_,"
    "v4kO!hQ!.-#-.-H![4!#!Z1!gC!H-Z=!Z1!_L!H!S!#8Z1!Z}L-_'!_'!`5!_'!`5!_'!"
    "`5!_'!`5!_'!Z=-d;[~'eDGdAZ;*[M*-W[XZ!!](`k3`5Z%Z&Zm!fVxIc3ZUZ1-[#G#Zy"
    "J`*]Ec(G[#[u-_LG[#Zc%`*-#[#[x6Z1!H!.![Y!Z_;-ZPZ7b:h,Z0#G[#^q(f6!B!MiS"
    "c8!]&Z^QH!_A!.!#-#!ZV!H!#!#Z%#G#!#!#!9!.!#-#!#!#!#!#!.!#-H!Z1!H!H!#!Z"
    "V!]7R9!S!]7]h;[Hjg4[#`ZI`|~T`CrhJZ/ZdV7ZkXzfJ[WZazG[X]q6hk9]`F7bwWv~E"
    "RrpD]b`fF$`)n)tSZhKdp`/ds[O-ds[O-";
static const char bare_letters[] =
    "]J7^S#####$G!$###(###$7(!####%3(###(%7,#####$G!$###(###$7(!####%3(###"
    "($Z/%[+Z,Z/Z,Z/Z,Z+Z,Z/Z,Z/Z,Z/Z,Z-Z,%Z;Z1Z,Z/Z,Z/Z,Z/Z,Z/Z,Z+Z,Z/Z,Z"
    "/Z,Z/Z,Z-Z,%GZ1Z,Z/Z,Z/Z,Z/Z,Z/&/'Z,Z-Z,$7Z/Z,Z/Z,Z/Z,'7Z3Z,Z/Z,Z/Z,&"
    "7Z3Z,Z/Z,Z/Z,%Z3Z-Z,Z/Z,Z/Z,Z-Z,Z/Z,Z/Z,Z/Z,Z-Z,Z/Z,%ZKZ1Z,Z/Z,Z/Z,Z/"
    "Z,Z/Z,Z/Z,Z+Z,Z+Z,Z/!Z,Z/Z,Z/Z,H'[WZ,0'ZAZ,CZ+]'Z,WZ,Z#Z,Z#Z,Z/Z,Z/Z,"
    "Z/Z,Z/Z,$7[%Z,Z/Z,]RZ,%O`-Z,Z'Z,Z'Z,Z/Z,fDb6o/&'Z;Z,%[KZ%Z,ZMZ,]RZ,CZ"
    ",a%Z,Z/Z,Z'Z,Z/Z,Z'Z,Z/Z,Z#Z,Z/Z,Z)Z,Z/Z,Z)Z,Z/Z,Z3Z,Z-Z,%'ZOZ,)Z#ZMZ"
    ",Z'Z,SZ,Z/Z,Z/Z,Z/Z,SZ,`+%cP,%rU)7]VvFv'v,$$$)**#'(D=;[-88($$8=3Z98/,"
    "(''*#R'T#$%)&%G'+D'6-%QF%!9'Y#$%)&%Z,'+Z/'6:'X!Z8'`;Z,0/ZYZ,Z/Z,%'Z)Z"
    ",%7`*!aAZ,Z-Z,%7Z1Z,Z/Z,Z#Z,%S`8!a/Z,ZGZ,Z/Z,Z/Z,Z'Z,%'Z+Z,_K3`T#Z.Z1"
    "Z2[X)CQ3%!e=%!*%!%%!JC[A!!**!2([&'ZJ#2'[%!$%8ZF%ZP%%(I+[G!*%%:^=%ZV%'"
    "'#2'[%!Z%%[,Z$+%!%^J%Z$)'/!$'Q#[9+,!%[L),%#'##`S%*,%!'%!'%!'%!/%ZA]G%"
    "ZBZkB4!&%!O)+%%'.!$%9g;eOb^3Z,Z-Z,Z/Z,Z/Z,Z-Z,Z-Z,Z/Z,Z/Z,Z/Z,Z/Z,Z-Z"
    ",Z/Z,Z/Z,Z/Z,Z/Z,Z-Z,Z-Z,Z-Z,Z/Z,Z/Z,Z/Z,Z/Z,Z-Z,Z/Z,Z+Z,Z/Z,Z/Z,Z-Z,"
    "Z/Z,Z/Z,Z/Z,Z-Z,Z/Z,Z/Z,Z-Z,Z/Z,Z/Z,Z/Z,Z-Z,Z/Z,Z/Z,Z/Z,Z-Z,Z/Z,Z+Z,Z"
    "/Z,Z/Z,Z/Z,Z-Z,Z/Z,Z/Z,Z/Z,Z/Z,Z-Z,Z/Z,Z/Z,Z/Z,Z-Z,Z/Z,Z/Z,Z/Z,Z/Z,Z-"
    "Z,Z/Z,Z-Z,Z/Z,Z/Z,Z/Z,Z/Z,Z-Z,Z/Z,Z-Z,Z-Z,Z/Z,Z/Z,K8&$$%d!'`Sf7Z,Z/Z,"
    "Z/Z,Z/Z,Z/Z,Z/Z,Z/Z,Z/Z,Z/Z,Z/Z,Z/Z,Z/Z,Z'Z,Z/Z,Z/Z,Z/Z,Z/Z,Z/Z,Z/Z,Z"
    "/Z,Z'Z,Z/Z,Z#Z,Z/Z,Z/Z,Z/Z,Z/Z,Z/Z,Z/Z,Z/Z,Z/Z,Z/Z,Z/Z,Z/Z,Z#Z,Z/Z,Z/"
    "Z,Z/Z,Z/Z,Z/Z,Z/Z,Z'Z,Z/Z,Z/Z,Z/Z,)ZGy8#######Z/#######Z4#####%7Z3###"
    "##%[SZ,#######Z/#######Z0#######Z/#######Z8#####%7Z3#####%CZ4#######$"
    "1Z1%%%#[/Z4#######Z/#######0#(#$#$#,#,#(#%^#Z########Z/#######Z8#####"
    "##Z/#######ZT#######Z/#######0####$;%#Z/####$%Z:%/x1x&##$Z#%#Z3#$##as"
    ",##aqW###%7'#Z/###$Z7au=##asU###+#(#Z/###+w1#[O%+{:##$C%#ZG#4##w)%'bn"
    "(!_G%b[7&'{17[)'b}J$5%GE+Z(('Z#%)'%!%%!:)!!A%)%%*%)#$9)cf%cf&-3Z+ce9$"
    "cf,!%'6!%'!!)')!%'*!%'!!I/1,!$W/]I!L!).XZ*']nT!ZZT%]lItNT%%-!!!)'!#$'"
    "$#$'$#$'$#$'$#9%[U,%[X0T!%-!!!)'!#$'$#$'$#$'$#$'$#9%[U%.[J&%0uq%)Zy[S"
    "T-7M###Y##:#$2!$)!!#)!!#%!$2!#/Q+42[zR)Zy^4!1%+fV'&#a%'(#$%%^R'(!sqM;"
    "+!#####ZI76!%!%!";
static const char bare_second[] =
    "Zf-';Va5'UVZ6%[*Z$+]##V^U%#[9+Q#V[N+U#DZvN5ZN%%%%&%)T'ZM#{{('#Va&)S8^"
    "R'5#sqM;L######ZI7]3#####";
static const char bare_third[] =
    "Zuq&2BZK/]C#!#";
static const char small_letters[] =
    "Z/ZVZ.ZXZJ!$:!HZPZ+$1aIaJ!!%D!%ZL!$'^I^J$)!!&'b$b#$)!aT#)aSaR#'!aQ%/]"
    "!^L$aM$'aR&$+*%aY&'b&&$'$b+$-!!b4#)b3b4%)b3b4#)b3b2#'!b1$)!b6#%b5&%!*"
    "'$#$'$#$%$#H#%H!%'$#$)!]M#%ZD#Z=[,$%_#$H_$*'em*em)$'`1es4%)em#aA#'d*&"
    "#4[I_D)!!&%!+%^8))[Y##'!!$)Z$##%!$Z.Z+$F!J%U+T/(%[3%)[41#%2%+_#!!#Z*b"
    "&#[6ZQWZ0Z+,[$!$%B#=A%]H!%[RZPZmD[RasB$%!(%!gU`&{u6#6Z_l9Z`.%/)].]aK%"
    "+!!!`+_L]aL,%b^U$]Hb^V,B3+6!-B!+B!+6!.0!+B!;B!+B!+B!+3!![A![=..[W#%[X"
    "./$!]A!/3]B!]Y!^$.3^G!&!^=_L%a~M&'{1^H)%bxRTZ*96%CiMZVX}7]FRW)ZOek-#'"
    "ah=agS%1ejF!!elG#+Z,Z1$$%elL%%!+'emY!#]Pen!+)!!'%!jo,ZL!6Z$![F=!&[4!-"
    "-!!ZZtW#4ZZtX')!Zc`+%)Zc`,!&L!$3Zca/7*6'$/ZVUPZd_(#D}G$/ZSZc_3ah0ZZvX"
    "$)!ZcbE#DZcbF$%ZcjY;%Zck!e{*ZVZ,q=]!2[G[J!]#N#$Z&!$:!$'!!|%]RX]$ZFZ-Z"
    "m1[6!erW[6!Z/ZR+jt![B0";
static const char small_second[] =
    "_R%l(";
static const char order[] =
    "Za:Z#[`%#############[lA%_cAZX%]UZ6'[M#d!%e;[kE'^}7#jn6%{g#['%^+hb!%v"
    "iY[/%^;_6%dM^K%c7&%-f!%qUu/%Zl;ruP'ZgeG#)7(7####Z}H;]|M######$Z/%####"
    "############%;'######$'%#$3%####ZbP;[kE#####bE";

static unsigned dense_number(const char **p)
{
    static const char digits[] = "!#$%&'()*+,-./0123456789:;=ABCDEFGHIJ"
                                 "KLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnop"
                                 "qrstuvwxyz{|}~";
    enum { ENDS = 52, OTHERS = sizeof digits - 1 - ENDS };
    for (unsigned n = 0;;) {
        unsigned digit = (unsigned)(strchr(digits, *(*p)++) - digits);
        if (digit < ENDS)
            return n * ENDS + digit;
        n = n * OTHERS + (digit - ENDS + 1);
    }
}

typedef struct { unsigned from, to; } Change;
typedef struct { int n; Change *c; } ChangeTable;

static ChangeTable read_changes(Arena *arena, const char *text)
{
    enum { MOST = 2048 };
    int moved = 0;
    ChangeTable b = { 0, arena_alloc(arena, MOST * sizeof *b.c) };
    for (const char *p = text; *p != '\0'; ) {
        unsigned from = (b.n == 0 ? 0 : b.c[b.n - 1].from)
                      + dense_number(&p);
        unsigned how = dense_number(&p), step = how / 2 % 2 + 1;
        for (unsigned k = 0; k <= how / 4; k++, from += step) {
            if (k == 0 || how % 2 == 1) {
                int n = (int)dense_number(&p);
                moved += n % 2 == 0 ? n / 2 : -(n + 1) / 2;
            }
            REQUIRE(b.n < MOST, "there are more than %d.", MOST);
            b.c[b.n++] = (Change){ from, (unsigned)((int)from + moved) };
        }
    }
    return b;
}

struct Characters {
    unsigned char *is;
    ChangeTable bare[3], small[2], order;
};

const Characters *characters_new(Arena *arena)
{
    Characters *u = arena_alloc(arena, sizeof *u);
    unsigned char *is = u->is = arena_alloc(arena, CHARACTERS_IN_UNICODE);
    for (const char *p = runs; *p != '\0'; ) {
        unsigned how = dense_number(&p);
        size_t n = how / sizeof kinds + 1;
        memset(is, kinds[how % sizeof kinds], n);
        is += n;
    }
    u->bare[0] = read_changes(arena, bare_letters);
    u->bare[1] = read_changes(arena, bare_second);
    u->bare[2] = read_changes(arena, bare_third);
    u->small[0] = read_changes(arena, small_letters);
    u->small[1] = read_changes(arena, small_second);
    u->order = read_changes(arena, order);
    return u;
}

int character_kind(const Characters *u, unsigned c)
{
    REQUIRE(c < CHARACTERS_IN_UNICODE, "U+%X is no character.", c);
    return u->is[c];
}

static unsigned lookup_change(const ChangeTable *b, unsigned c,
                              unsigned otherwise)
{
    int least = 0, beyond = c < 0xC0 ? 0 : b->n;    /* below is no change */
    while (least < beyond) {
        int k = (least + beyond) / 2;
        if (b->c[k].from == c)
            return b->c[k].to;
        if (b->c[k].from < c)
            least = k + 1;
        else
            beyond = k;
    }
    return otherwise;
}

enum { SYLLABLES = 0xAC00, BEGINNINGS = 0x1100, VOWELS = 0x1161,
       ENDINGS = 0x11A7, OF_BEGINNING = 588, OF_VOWEL = 28,
       LAST_SYLLABLE = SYLLABLES + 19 * OF_BEGINNING - 1 };

static int split_syllable(unsigned c, unsigned to[3])
{
    unsigned k = c - SYLLABLES, end = k % OF_VOWEL;
    to[0] = BEGINNINGS + k / OF_BEGINNING;
    to[1] = VOWELS + k % OF_BEGINNING / OF_VOWEL;
    to[2] = ENDINGS + end;
    return end == 0 ? 2 : 3;
}

/* Writes what the n tables make of c to to[]; returns how many these are. */
static int change(const ChangeTable table[], int n, unsigned c,
                  unsigned to[3])
{
    int k = 1;
    to[0] = lookup_change(&table[0], c, c);
    while (k < n && (to[k] = lookup_change(&table[k], c, 0)) != 0)
        k++;
    return k;
}

int strip_marks(const Characters *u, unsigned c, unsigned to[3])
{
    if (SYLLABLES <= c && c <= LAST_SYLLABLE)
        return split_syllable(c, to);
    return character_kind(u, c) & IS_MARK ? 0 : change(u->bare, 3, c, to);
}

bool is_compatibility_ideograph(unsigned c)
{
    return (0xF900 <= c && c < 0xFB00) || (0x2F800 <= c && c < 0x2FA20);
}

int lowercase(const Characters *u, unsigned c, unsigned to[3])
{
    to[0] = c + ('a' - 'A');
    return 'A' <= c && c <= 'Z' ? 1 : change(u->small, 2, c, to);
}

int mark_order(const Characters *u, unsigned c)
{
    return (int)lookup_change(&u->order, c, 0);
}

int utf8_length(const char *p, size_t bytes)
{
    const unsigned char *u = (const unsigned char *)p;
    size_t n = u[0] < 0x80 ? 1 : u[0] < 0xC2 ? 0 : u[0] < 0xE0 ? 2
             : u[0] < 0xF0 ? 3 : u[0] < 0xF5 ? 4 : 0;
    if (n > bytes)
        return 0;
    for (size_t k = 1; k < n; k++)
        if ((u[k] & 0xC0) != 0x80)
            return 0;
    if ((u[0] == 0xE0 && u[1] < 0xA0)           /* could be shorter   */
        || (u[0] == 0xF0 && u[1] < 0x90)
        || (u[0] == 0xED && u[1] >= 0xA0)       /* half a character   */
        || (u[0] == 0xF4 && u[1] >= 0x90))      /* above U+10FFFF     */
        return 0;
    return (int)n;
}

unsigned utf8_code(const char *p, int n)
{
    static const unsigned char first[] = { 0, 0x7F, 0x1F, 0x0F, 0x07 };
    unsigned code = (unsigned char)p[0] & first[n];
    for (int k = 1; k < n; k++)
        code = code << 6 | ((unsigned char)p[k] & 0x3F);
    return code;
}

char *write_utf8(char *to, unsigned code)
{
    int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char first[] = { 0, 0xC0, 0xE0, 0xF0 };
    *to++ = (char)(first[more] | code >> 6 * more);
    while (more-- > 0)
        *to++ = (char)(0x80 | (code >> 6 * more & 0x3F));
    return to;
}
