/* What Unicode says of a character. */
#include "text/characters.h"
#include <string.h>

static const unsigned char kinds[] = {
    0, 1, 8, 4, 12, 32, 2, 64, 17, 16
};
static const char runs[] =
    "ZD/0%]2%[OZRZ/^QZ%^QIZ!&^R%'N',#'!$D2!#1!(#'='^/!_O![iUD[)[=OZ*#!#]&o"
    ";O!-,E'#X#'7!#!]I!iO!tC!U,yM!a),#Z%aK1XbE')'3'3')Z4_#DE1ZVZ!61!1,[%'$"
    "!1b']YZRI-)lS'#Z1$!Z'-3!K-ZR7,#[E!$#)_E_),jW[%#[=ZR`+ZI-!;#N^%K#ZI#A#"
    "U,[O!^GA,'!ZWN^9!Y]&aU^F`'!d-)!)#6Z;D),#Z1ZM31ZR'[U)6Z5,-,^%!Z+!#6E,)"
    "#6KZ4)#[2-!73,ZR-,Z&,#D3,YD-,^%!Z+!-!-!-,)D3D3,A6)Z*E!#Z*ZR37)ZV3,ZC!"
    "7!^%!Z+!-!O,)#6U!3D),#[J-3,ZR'Z4#Z*)6Z5,-,^%!Z+!-!O,)#!)!KZ4)Z4)N-!73"
    ",ZR!#Z&ZL)#!Y67!E6-!#!-6-676[)X)[(),#]R[8[2)DZ5!7!^/![U6#ANA!KZ*3!7,#"
    ",-3,ZRZ4Z0!#)6Z5!7!^/!ZM!O,)#!)X)N3[J-!-3,ZR!-[=),ZC!7!aK,#6KZ4)#N7!Z"
    "073,]D!YN]16^9!ZC!#,Z+6)Z*A!)[JZRD'[(c%)-Z1NZ+Z;'ZR1`V-!#!O!^9!#!ZM)-"
    "Z'!3#,O!#!Z',ZR,E_X#6[O!'63X]N!)!)!)I,Z5!`MD[G!U'3O[%!`SZB)ZBSD1`Vb',"
    "K!Z'!3,3#ZRZ%Y,3EA#6-Z*7K[3),3X)#!ZR6),a)!#N#,b''ZuS!E,Z+!#!E,aK!E,`+"
    "!E,Z+!#!E,[K!dO!E,fK,AZG]N6[U[Tj5,Y,']e%1]'%^Q16h/;=Z5Z*]1AZL];A1ZB]1"
    "3[([3!7!3[(cQ3!Z1Z4),[%;#;!#),ZRXZRX[#A$!ZRXjWZ*O,`5)#Ng1ZL_O!AD3ZB)X"
    "AZ41ZR_E,OZVb1D^QX[$`V^/3,),1d#!)!Z1!)!),Z;XZS,)ZRXZRXZ/#Z%,[Gf=K!bS)"
    "!U!)N),Z56ZRZ/ZLZI[(3!_E!K,3!A-ZRb1)!36)!AZLI`MZ4Z;,36SZR67ZR`M1ZWNb'"
    ",7Z9Z4A'[9!Z1E)Y)-!3#N~Md3XKZk1,Y,a),Y,Z5!#!#!#!_O,d#!Z+!#67!Z+6E,YD["
    "3N7!Z+6ZYP^A/P%]M![7![-%P!ZN(#,Z&61#ZR61![3cF[9D)6[/]&#D#,ZM!#6OX#!#!"
    "#!E!ZW,ENOD#!cL-T[Z0I_61Zq.e:hP^*]d0[E_Jc.1_NZQ[_2^)eVI_X1[tHZaSXEA-N"
    "I(1a)!#N#,dEZ*#'[=)^/ZBZ+!Z+!Z+!Z+!Z+!Z+!Z+!Z+!`'bW#]C[g6%;!-(ZQ,[-!Z"
    "HK,'O,=-'6j5,3,7'k)'ENb'!kU6JZL_Yc$[U_XZR_DZ:![P_XZRa2[PZs4}aHf(]^^T`"
    "aSfJbI1ZiC;[UZR-]HbS)6'ZS'_O3g1ZR3Z%_NZC,mG,fK,-!#!Z5]R[U)7)E)^/,3ZBZ"
    "&ZLcQIZLc9[T)ZB1ZRX]7Y;#'-!ZR_-Z;1^/[%[2'_76A!bS),K,)D[7!#ZRD1O)ZMZRO"
    "!aKZ',3,3ZB7)Z5)6ZR,I^/6#!)!c9)#A-3O3#)#^871ZW!3,17!)ZLY,Y,YZBZ+!Z+!b"
    "'![AXoW,),),'!),ZRXZqr1[(^/Dc/d|8|`FZ|45n4a1Z+[(ON#)ZM![3!O!#!-!-!nE`"
    "*Z{G1[Tf),d-a=[)D]#ZQX]#`G![E!'D'!1DO!sO,$!;!Z%!IZR161^Q;!'!^Q'!'!Z/j"
    "W6Y,Y,Y,7_,8!$,[)!^Q!];!-![K,[A`4q;N;DbD[(dT]&2oB)rP_76c/[J)_(D_YJZB]"
    "I(Z5(Na)UN_E!'`MDZ5'TaTx-,ZRX`MD`MDaAZ4cQZV'ZW![K!Z+!-!ZW![K!Z+!-6cQ["
    "(ZqGZB^%ZLZ5^8Y!aU!ZCg&Y,#!b1!-6#,^/!'Z:^/,Z0_OZ4ZHc$];!-NT^%Z&6'^QN'"
    "f(dED2-]!,bN#A!3NKE!7!_7,AD)ZHZ*ZGZ*_72'_7=_XZ5!_-3DTZ/ZBd-6Z/^%,Z:];"
    "NZ:]1Z*I[(Z0i,gSd6cG[2cGZ*Z&`M[(ZRXZR_-ZB^/Z_L_T!aUX-[T7e*_7ZR#Z4^%ZV"
    "J_!]1bH]SZ0]H^/ZL)!d#[QZ/D_J!-,#ZBA!b;6K,31$I[=^GZ*ZRXA`MU!Z;!ZRI#,#Z"
    "4`C)1#ZB3!c%6ZI,ESA',ZR#'#;!]NZV]1!^G6A,)!3Z%!-eVZ+!#!E![K!ZM'XbS)6Z;"
    "NZRX36Z5,-,^%!Z+!-!O,)#,)[J#[(ODZ16UZVZM!#,#!a)!#^F#!#b0d#]0ENZRN7_Dc"
    "%6Z'!)D3!3-'#Z4ZRyLbS6KX3!3^3E3`4c%6Z;,)!3;#ZVZRa(b')!),Z'!)#Z*ZRX]N_"
    ",_#,A,K!UD[.;!Z+}6b1p(f)]D[(Z5,#,Z5!-!^9[J#!#[=ZRg0Z5,a3[T#!#_,#ZLaAZ"
    "*#]R#ZVbI]:#]0gSZ[&`+[JZRXZC!`W]&#[J_=N_Eo4Z+!-!a)]R#ZBZRXY!-!_Y[=#Z*"
    "ZRZq8];[J#![3!`5_,ZRj4#[J]Xb&^{)m8o0!SZVZZAh[Ll;[J_sY]&Y^Fof'N]]W~m6_"
    "E]0ZRcc0]Z/Z*_O!ZRD1i#!ZRX_E,U'ZLc%Z1SDE'ZVZR!Z0!]SN];[dTb;6ZRZZTf)^4"
    "n!h/N#eLK[3f(-!#_,zuQZ4`oUaJZMZet&E!Z+!-!ZmO[J#_67,#[=EZ4[]YfeHn7N[36"
    "ZCZ*ZM63'Fpd(ZR`ZJAZBZ6Z;,Z1_DKv0Aq:]N[(]NnD^LsNj+!g;!-,#,-,E![)!#!Z+"
    "!f3!E,Z5!Z+!_-!E!O!#6Z+!Zw-,^G!^G!_O!^G!_O!^G!_O!^G!_O!^G!Z5,cB[t0dAD"
    "cCZ4)[=),S[JU![Q_z(_OXYZh!eMuTb;ZLZ+,ZRD#ZsB_E]0b1DZR[l,_-DZRZ^X_E,#Z"
    "R[o&Z+!E!-![K!ZZK,ZHZ1aJfUZ*#DZR^aVe0!=!Jh8bD![PZZ(E!_#!-!#,#!ZM!E!#!"
    "#X#D#!#!#!7!-!#,#!#!#!#!#!-!#,E!Z+!E!E!#!ZM!]'N7!O!]']]4[8hyNZR_kT`fa"
    "4_Xp`PZ)Z`H5Zg%whP[IZ]zW[J]e9g`$[z,5bZ$tgGNpgY[{p^V$_Dl2r8Zd'cqi=ct[B"
    ",ct[B,";
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
    ChangeTable bare[3], small[2];
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
